// SPDX-License-Identifier: Apache-2.0
//
// Numbers out of a program's output by regular expression, line by line: the last line that matches
// decides, and in it the last match. Patterns come from a plan, and std::regex can take for ever or
// run out of stack: extract_guarded() works in a child process with a deadline.
#pragma once

#include <string>
#include <vector>

#include "agents/agent/allocation_file.h"
#include "agents/agent/output_capture.h"
#include "agents/record/record.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

constexpr std::size_t kMaxMatchedLine = 2048;  // of a longer line, only these bytes are searched

struct Extraction {
  std::vector<record::Metric> metrics;
  std::vector<std::string> problems;  // "metric 'time': no line of stdout matches"
};

Extraction extract_metrics(const std::vector<MetricPattern>& patterns, const OutputCapture& out,
                           const OutputCapture& err);

// The same, never longer than `limit`, and alive whatever std::regex does.
Extraction extract_guarded(const std::vector<MetricPattern>& patterns, const OutputCapture& out,
                           const OutputCapture& err, Nanoseconds limit);

}  // namespace kneepoint::agent
