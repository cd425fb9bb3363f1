// SPDX-License-Identifier: Apache-2.0
//
// run --detach: the same program again in a session of its own, with its log in the study's folder.
#pragma once

#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

// Returns when the controller holds the study's lease or has ended; a controller that fails to
// start is shown with its last words.
Result<int> start_detached(Session& session, StudyStore& store, const StudyRow& study,
                           const std::string& database, const Arguments& arguments);

// The controller's command line. Pure.
std::vector<std::string> controller_argv(const std::string& executable, const std::string& database,
                                         const Session& session, const Arguments& arguments);

}  // namespace kneepoint::cli
