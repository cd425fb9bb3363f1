// SPDX-License-Identifier: Apache-2.0
//
// `run`, also for commands that do more than run.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"

namespace kneepoint::cli {

struct RunRequest {
  Nanoseconds night_began = 0;  // as in ChoiceRequest
  std::string name_ending;      // put to the study's name: its studies are a series of their own
};

// The arguments of `run`. `study_id` becomes that of the study worked on; it stays as it is when
// the plan is refused.
Result<int> run_plan(Session& session, const Arguments& arguments, const RunRequest& request,
                     std::string& study_id);

// run --detach: the same program again in a session of its own, with its log in the study's folder.
// Returns when the controller holds the study's lease or has ended; a controller that fails to
// start is shown with its last words.
Result<int> start_detached(Session& session, StudyStore& store, const StudyRow& study,
                           const std::string& database, const Arguments& arguments);

// The controller's command line. Pure.
std::vector<std::string> controller_argv(const std::string& executable, const std::string& database,
                                         const Session& session, const Arguments& arguments);

// For running inside another command: no screen, an answer of its own.
Session inner_session(const Session& session, std::ostream& out, std::ostream& err);

}  // namespace kneepoint::cli
