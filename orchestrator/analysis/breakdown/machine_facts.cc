// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/machine_facts.h"

#include <charconv>
#include <cmath>

namespace kneepoint {

std::optional<double> number_fact(const std::vector<Fact>& facts, std::string_view name) {
  for (const Fact& fact : facts) {
    if (fact.name != name) continue;
    double value = 0;
    const char* end = fact.value.data() + fact.value.size();
    const auto read = std::from_chars(fact.value.data(), end, value);
    if (read.ec == std::errc() && read.ptr == end && std::isfinite(value) && value >= 0) {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<double> metric_value(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name && std::isfinite(metric.value)) return metric.value;
  }
  return std::nullopt;
}

std::optional<Machine> machine_of(const std::vector<Fact>& facts) {
  const auto flops = number_fact(facts, "machine.flops_per_core");
  const auto core = number_fact(facts, "machine.bandwidth_per_core");
  const auto node = number_fact(facts, "machine.bandwidth_of_node");
  for (const auto& value : {flops, core, node}) {
    if (!value || *value == 0) return std::nullopt;
  }
  return Machine{*flops, *core, *node};
}

}  // namespace kneepoint
