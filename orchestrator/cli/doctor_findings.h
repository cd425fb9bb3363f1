// SPDX-License-Identifier: Apache-2.0
//
// What `doctor` finds, as values, and the sentences for what was measured. Pure. A warning leaves a
// site ready: it costs quality or time, not the study.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/site.h"

namespace kneepoint::cli {

enum class Grade { ok, warning, bad };
const char* to_string(Grade grade);

struct Finding {
  std::string what;
  Grade grade = Grade::ok;
  std::string text;  // what was seen; of a warning or a bad one also what to change
  static constexpr auto fields() {
    using T = Finding;
    return described(field("what", &T::what), field("grade", &T::grade), field("text", &T::text));
  }
};

// The largest allocation that the site's limits and the backend leave; 0: not known.
int largest_allocation(const SiteLimits& limits, const Capabilities& has);

Finding size_finding(const SiteLimits& limits, const Capabilities& has);

// Wall clock of a node against ours. A job was handed over at `before` and seen ended at `after`,
// both by our clock; it began and ended at these times by the node's.
struct ClockReading {
  Nanoseconds before = 0, began = 0, ended = 0, after = 0;
};
Finding clock_finding(const ClockReading& reading);

// T of the same work again and again on one node.
Finding noise_finding(const std::vector<double>& seconds);

bool is_ready(const std::vector<Finding>& findings);
std::string to_text(const std::vector<Finding>& findings, const std::string& site);
std::string to_json(const std::vector<Finding>& findings, const std::string& site);

}  // namespace kneepoint::cli
