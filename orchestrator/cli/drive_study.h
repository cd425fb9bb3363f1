// SPDX-License-Identifier: Apache-2.0
//
// One sitting of the engine at a chosen study: takes the lease, reaches the site, shows progress,
// and gives back how it ended. For `run` and for what other commands measure by themselves.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "orchestrator/answers/choose_study.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/session.h"
#include "orchestrator/engine/engine.h"

namespace kneepoint::cli {

struct DriveOptions {
  std::string database;             // its path
  int concurrent = 0;               // allocations at once; 0: as the site has it
  std::optional<StudyPrice> price;  // what runs are billed by
  std::optional<SitePrice> kept;    // put into the study
  std::function<void()> announce;   // once the study is ours; empty: nothing to say
};

Result<EngineOutcome> drive_study(Session& session, StudyStore& store, const Site& site,
                                  const Study& study, const ChosenStudy& chosen,
                                  const DriveOptions& drive);

}  // namespace kneepoint::cli
