// SPDX-License-Identifier: Apache-2.0
//
// A cut as configuration: Slurm's partition lines, and quotas for Kubernetes with and without
// Kueue. Texts to be looked at and pasted; nothing is applied.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cost/sizing.h"
#include "orchestrator/model/mix.h"

namespace kneepoint::cli {

// One for each partition: the workload's name, or theirs joined; unique, lower-case, at most 50.
std::vector<std::string> partition_names(const SizingMix& sizing, const Cut& cut);

std::string slurm_config(const Mix& mix, const SizingMix& sizing, const Cut& cut);

// Refused where it is not known what a worker asks of Kubernetes.
Result<std::string> kubernetes_config(const Mix& mix, const SizingMix& sizing, const Cut& cut);

}  // namespace kneepoint::cli
