// SPDX-License-Identifier: Apache-2.0
//
// gate --confirm: what a night's gate finds suspect is measured again at once, the pinned build and
// the night's own in turns on one allocation. A study of its own, `<name>-confirm`: asking again
// goes on with it, or takes what it has measured.
#pragma once

#include <functional>
#include <string>

#include "orchestrator/answers/choose_study.h"
#include "orchestrator/answers/context.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/night/gate.h"
#include "orchestrator/base/result.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// Drives a study that was chosen until it ends; whoever asks shows how it goes. `concurrent`:
// allocations at once, 0: as the site has it.
using DriveStudy = std::function<Result<EngineOutcome>(const Site& site, const SiteAccess& access,
                                                       const Study& study,
                                                       const ChosenStudy& chosen, int concurrent)>;

struct Confirmed {
  std::string study;         // that the pairs are in; "": nothing was measured
  std::string note;          // why not, a sentence; "": there is nothing to say
  bool interrupted = false;  // before all pairs were there: ask again to go on
};

// Measures the pairs that decide what is suspect in the report of `tonight`, and has the gate judge
// again with them. Refuses when a pinned build is not what it was when it was pinned, or the
// night's program not what the night ran.
Result<Confirmed> confirm_gate(const Context& context, StudyStore& store, const StudyRow& tonight,
                               const DriveStudy& drive, GateReport& report);

}  // namespace kneepoint
