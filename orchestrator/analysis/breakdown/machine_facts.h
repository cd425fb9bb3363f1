// SPDX-License-Identifier: Apache-2.0
//
// Numbers out of the facts and metrics that runs recorded. A fact that is missing or no number is
// absent, never 0.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

// The value of the first fact of that name, of any scope, as a number, 0 or above.
std::optional<double> number_fact(const std::vector<Fact>& facts, std::string_view name);
std::optional<double> metric_value(const std::vector<Metric>& metrics, std::string_view name);

// machine.flops_per_core, machine.bandwidth_per_core, machine.bandwidth_of_node: all three or none.
std::optional<Machine> machine_of(const std::vector<Fact>& facts);

}  // namespace kneepoint
