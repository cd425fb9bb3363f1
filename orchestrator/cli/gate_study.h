// SPDX-License-Identifier: Apache-2.0
//
// The gate as a function: a study against the nights of its series. Reads the store and writes
// nothing but, when asked to, the verdict.
#pragma once

#include <optional>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/gate_report.h"
#include "orchestrator/cli/session.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct GateRequest {
  // Runs of the pinned and the new build in turns, of what a gate without them found suspect. None:
  // nothing was measured in turns, so a second night in a row decides.
  std::optional<std::vector<ConfirmedPoint>> turns;
  bool remember = true;  // store the verdict; the store must be writable
};

Result<GateReport> gate_study(Session& session, StudyStore& store, const StudyRow& tonight,
                              const GateRequest& request);

int gate_exit_code(Verdict verdict, bool strict);

}  // namespace kneepoint::cli
