// SPDX-License-Identifier: Apache-2.0
//
// Which study `run` works on: the newest of the series, a new one, or none because all is done.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/answers/context.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/model/point.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

enum class Continuation {
  begin,    // made now
  resume,   // unfinished
  extend,   // finished, but the plan asks for more
  reopen,   // --retry-failed: its failed runs are tried again
  nothing,  // finished, and the plan asks for no more
};

struct ChosenStudy {
  Continuation choice = Continuation::begin;
  StudyRow row;
};

struct ChoiceRequest {
  bool make_new = false;
  bool retry_failed = false;
  // make_new, but go on with a study that was made since then and interrupted; 0: never.
  Nanoseconds night_began = 0;
};

Result<ChosenStudy> choose_study(StudyStore& store, const Study& study, const Site& site,
                                 const std::string& root, const ChoiceRequest& choice);

// The plan and site that a study has stored, for `run --resume`. Only the newest study of a series
// goes on: `run` would take no other.
Result<PlanOnSite> plan_to_resume(const Context& context, const std::string& study);

// Is `newest`, which the resumed plan came to, the study that was meant? Otherwise `run` would
// begin another one.
Result<void> check_resumed(StudyStore& store, const std::string& study,
                           const std::optional<StudyRow>& newest);

// Does the plan ask for points or repeats that the study doesn't have? Pure.
bool asks_for_more(const Study& study, const StudyEvidence& evidence);

std::string sentence_of(const ChosenStudy& chosen);

}  // namespace kneepoint
