// SPDX-License-Identifier: Apache-2.0
//
// `--ab LABEL=PLACE`: from what was typed to builds with their hashes, and what a site must be told
// so that two builds run in turns. All that can be refused is refused here, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/loading.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// `given` as typed: "old=build/app". Exactly two, the reference first.
Result<std::vector<Build>> read_builds(const std::vector<std::string>& given, const Plan& plan,
                                       const Site& site, const std::string& working_directory);

// SHA-256 of the file; of a folder, of all that the plan runs from it.
Result<std::string> hash_of_build(const Plan& plan, const Build& build);

// The plan with these builds, as a study of its own (`<name><suffix>`), and its site so that they
// run in turns: packed into one allocation, or one after the other where that can't be.
void put_in_turns(PlanOnSite& both, std::vector<Build> builds, const std::string& suffix);
inline constexpr char kTurnsSuffix[] = "-ab";

// Allocations at once of a study with builds; 0: as the site has it.
int concurrent_in_turns(const PlanOnSite& both);

// What a stored study was made with, for who goes on with it without its command line.
Result<void> restore_builds(StudyStore& store, const StudyRow& study, PlanOnSite& both);

}  // namespace kneepoint
