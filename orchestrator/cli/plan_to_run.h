// SPDX-License-Identifier: Apache-2.0
//
// Which plan `run` is to run: that of a file, or that of a study which is to go on.
#pragma once

#include <optional>

#include "orchestrator/answers/loading.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

// PLAN and --site, or --resume STUDY. Only the newest study of a series goes on: `run` would take
// no other.
Result<PlanOnSite> plan_to_run(const Session& session, const Arguments& arguments);

// With --resume: is `newest`, which the plan came to, the study that was meant? Otherwise `run`
// would begin another one.
Result<void> check_resumed(StudyStore& store, const Arguments& arguments,
                           const std::optional<StudyRow>& newest);

}  // namespace kneepoint::cli
