// SPDX-License-Identifier: Apache-2.0
//
// Numbers out of a program's output and files by regular expression, line by line (the last line
// that matches decides, and in it the last match) or by a path into JSON; and the sanity rules
// about text. Patterns come from a plan, and std::regex can take for ever or run out of stack:
// extract_guarded() works in a child process with a deadline.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/supervise/supervisor.h"
#include "agents/wire/allocation.h"
#include "agents/wire/record.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

constexpr std::size_t kMaxMatchedLine = 2048;  // of a longer line, only these bytes are searched
constexpr std::size_t kMaxSearchedFile = 16 * 1024 * 1024;  // of a longer file, head and tail

struct Extraction {
  std::vector<record::Metric> metrics;
  std::vector<std::string> problems;  // "metric 'time': no line of stdout matches"
  std::vector<std::string> broken;    // sanity rules about text that don't hold, a sentence each
};

// What to look for, and where.
struct Search {
  const std::vector<MetricSpec>& metrics;
  const std::vector<SanityRule>& rules;
  const OutputCapture& out;
  const OutputCapture& err;
  std::string folder;  // of files; "": the step has none of its own
};

// A number out of a JSON text by a path. The text is a document, or lines of which some are: then
// the last that is one counts, as programs print a log before their result.
struct JsonNumber {
  std::optional<double> value;
  std::string problem;  // "'timing' has no 'total'; it has 'setup', 'solve'"
};
JsonNumber json_number_at(std::string_view text, const std::string& path);

Extraction extract(const Search& search);
// The same, never longer than `limit`, and alive whatever std::regex does.
Extraction extract_guarded(const Search& search, Nanoseconds limit);

}  // namespace kneepoint::agent
