// SPDX-License-Identifier: Apache-2.0
//
// `run`, also for commands that do more than run.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {

// What is to be run, and how: what `run` makes of its flags.
struct RunRequest {
  std::string plan, site;           // files; site "": the usual one
  std::string resume;               // instead of a plan: the study that is to go on
  std::vector<std::string> builds;  // as --ab names them: two are compared in turns
  PriceChoice prices;
  int concurrent = 0;  // allocations at a time; 0: as the site has it
  bool make_new = false, retry_failed = false, detach = false;
  Nanoseconds night_began = 0;  // as in ChoiceRequest
  std::string name_ending;      // put to the study's name: its studies are a series of their own
};

// `study_id` becomes that of the study worked on; it stays as it is when the plan is refused.
Result<int> run_plan(Session& session, const RunRequest& request, std::string& study_id);

// run --detach: the same program again in a session of its own, with its log in the study's folder.
// Returns when the controller holds the study's lease or has ended; a controller that fails to
// start is shown with its last words.
Result<int> start_detached(Session& session, StudyStore& store, const StudyRow& study,
                           const std::string& database, const RunRequest& request);

// The controller's command line. Pure.
std::vector<std::string> controller_argv(const std::string& executable, const std::string& database,
                                         const Session& session, const RunRequest& request);

// For running inside another command: no screen, an answer of its own.
Session inner_session(const Session& session, std::ostream& out, std::ostream& err);

}  // namespace kneepoint::cli
