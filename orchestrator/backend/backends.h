// SPDX-License-Identifier: Apache-2.0
//
// The factories that backend_table.cc names, and what launchers share; private to this folder.
// Launchers have no other header.
#pragma once

#include "orchestrator/backend/launcher.h"

namespace kneepoint {

Result<std::unique_ptr<Launcher>> make_local_launcher(const LauncherContext& context);
Result<std::unique_ptr<Launcher>> make_slurm_launcher(const LauncherContext& context);
Result<std::unique_ptr<Launcher>> make_kubernetes_launcher(const LauncherContext& context);
Result<std::unique_ptr<Launcher>> make_simulated_launcher(const LauncherContext& context);

// What a launcher answers for what it did not get to in time.
inline Error deadline_passed(const std::string& what) {
  return Error{ErrorCode::timeout, what + ": the deadline passed first", true};
}

}  // namespace kneepoint
