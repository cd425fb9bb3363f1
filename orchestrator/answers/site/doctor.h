// SPDX-License-Identifier: Apache-2.0
//
// What `doctor` answers: is a site ready? It is examined one step after the other, through the
// launcher like any run, so that what a study will use is tested. Whatever is started is taken
// back, also when it is interrupted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

// A warning leaves a site ready: it costs quality or time, not the study.
enum class Grade { ok, warning, bad };
const char* to_string(Grade grade);

struct SiteFinding {
  std::string what;
  Grade grade = Grade::ok;
  std::string text;  // what was seen; of a warning or a bad one also what to change
  KP_DESCRIBED(SiteFinding, what, grade, text);
};

// The largest allocation that the site's limits and the backend leave; 0: not known.
int largest_allocation(const SiteLimits& limits, const Capabilities& has);

SiteFinding size_finding(const SiteLimits& limits, const Capabilities& has);

// Wall clock of a node against ours. A job was handed over at `before` and seen ended at `after`,
// both by our clock; it began and ended at these times by the node's.
struct ClockReading {
  Nanoseconds before = 0, began = 0, ended = 0, after = 0;
};
SiteFinding clock_finding(const ClockReading& reading);

// T of the same work again and again on one node.
SiteFinding noise_finding(const std::vector<double>& seconds);

struct DoctorRequest {
  const Site& site;
  std::string root;  // where studies of this site have their folders
  // Would live reports work? Asked once the site is reached; none: the site has no `push`.
  std::function<std::optional<SiteFinding>()> try_push;
  std::function<void(const std::string&)> say;  // why it takes so long; what was left behind
};

struct DoctorAnswer {
  std::string site;
  std::vector<SiteFinding> findings;  // a bad one is the last: later steps would make no sense
  bool interrupted = false;

  bool is_ready() const;
  static constexpr auto fields() {
    using T = DoctorAnswer;
    return described(field("site", &T::site), field("ready", &T::is_ready),
                     field("findings", &T::findings));
  }
};

DoctorAnswer examine_site(const Context& context, const DoctorRequest& request);

}  // namespace kneepoint
