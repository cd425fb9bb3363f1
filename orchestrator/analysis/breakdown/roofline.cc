// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/roofline.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kneepoint {

namespace {

Result<void> require_machine(const Machine& m) {
  TRY(require_positive(m.flops_per_core, "the peak of a core"));
  TRY(require_positive(m.bandwidth_per_core, "the bandwidth of a core"));
  return require_positive(m.bandwidth_of_node, "the bandwidth of the node");
}

}  // namespace

Result<double> arithmetic_intensity(double flops, double bytes) {
  TRY(require_positive(flops, "the number of flops"));
  TRY(require_positive(bytes, "the number of bytes"));
  return flops / bytes;
}

Result<RooflinePoint> roofline(double intensity, double peak_flops, double bandwidth) {
  TRY(require_positive(intensity, "the arithmetic intensity"));
  TRY(require_positive(peak_flops, "the peak"));
  TRY(require_positive(bandwidth, "the bandwidth"));
  RooflinePoint p;
  p.intensity = intensity;
  p.ridge = peak_flops / bandwidth;
  p.bound = intensity < p.ridge ? Bound::memory : Bound::compute;
  p.attainable = std::min(peak_flops, intensity * bandwidth);
  p.share_of_peak = p.attainable / peak_flops;
  return p;
}

Result<RooflinePoint> roofline_on_cores(double intensity, const Machine& machine, double cores) {
  TRY(require_machine(machine));
  TRY(require_workers(cores, "the number of cores"));
  return roofline(intensity, cores * machine.flops_per_core,
                  std::min(cores * machine.bandwidth_per_core, machine.bandwidth_of_node));
}

Result<std::optional<double>> cores_until_memory_bound(double intensity, const Machine& machine) {
  TRY(require_machine(machine));
  TRY(require_positive(intensity, "the arithmetic intensity"));
  const double one_core = std::min(machine.bandwidth_per_core, machine.bandwidth_of_node);
  if (intensity * one_core < machine.flops_per_core) return std::optional<double>();
  return std::optional(intensity * machine.bandwidth_of_node / machine.flops_per_core);
}

Result<WorkDepth> work_depth(double work, double depth, double k) {
  TRY(require_positive(work, "the work"));
  TRY(require_positive(depth, "the depth"));
  TRY(require_workers(k));
  if (depth > work) return refusal("the depth is above the work: the longest chain is part of it");
  WorkDepth w;
  w.parallelism = work / depth;
  w.speedup_low = work / ((work - depth) / k + depth);
  w.speedup_high = std::min(k, w.parallelism);
  return w;
}

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
