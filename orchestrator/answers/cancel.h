// SPDX-License-Identifier: Apache-2.0
//
// What `cancel` answers, and the dashboard. A study's rows are written by the holder of its lease
// alone: a living holder is asked by a row in `requests`; without one the caller's process takes
// the lease and lets the engine carry the request out, which starts nothing new.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

enum class Cancellation { requested, already_finished, already_cancelled, cancelled, finished };
const char* to_string(Cancellation result);

struct CancelAnswer {
  std::string study;
  Cancellation result = Cancellation::requested;
  std::string holder;  // who was asked
  KP_DESCRIBED(CancelAnswer, study, result);
};

// None: nobody works on the study, and it is not over.
Result<std::optional<CancelAnswer>> ask_to_cancel(StudyStore& store, const StudyRow& study,
                                                  const Clock& clock);

// The same to the end. `say` gets a line for each run that is over.
Result<CancelAnswer> cancel_study(const Context& context, StudyStore& store, const StudyRow& study,
                                  const std::function<void(const std::string&)>& say);

}  // namespace kneepoint
