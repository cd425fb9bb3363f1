// SPDX-License-Identifier: Apache-2.0
//
// The files that a plan's `inputs` name: found and hashed when the plan is read, copied into the
// study's folder when it is run. A study's copy never changes: who edits an input gets another
// series.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

constexpr std::uint64_t kMostInputBytes = std::uint64_t{256} << 20;  // of one workload
// Without a shared folder; a shell text of 128 KiB must hold them as base64.
constexpr std::uint64_t kMostInputBytesInPods = 64 << 10;

constexpr std::size_t kMostInputsInPods = 100;

// Fills in `staged` of every workload. Paths are relative to the plan file's folder; a folder
// stands for all files below it. Each problem names its key.
std::vector<Problem> find_inputs(Plan& plan, const Site& site);

// Copies what is not there yet to where the steps will look (engine/requests.h: staged_path).
Result<void> stage_inputs(const Plan& plan, const std::string& directory);

}  // namespace kneepoint
