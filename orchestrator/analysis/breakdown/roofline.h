// SPDX-License-Identifier: Apache-2.0
//
// Compute or memory bound, and how much parallelism there is. Peak and bandwidth are those of one
// node as measured; ranks share its bandwidth.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct Machine {
  double flops_per_core = 0;      // peak of one core, flop/s
  double bandwidth_per_core = 0;  // what one core alone can draw, bytes/s
  double bandwidth_of_node = 0;   // what all cores together can draw, bytes/s
};

enum class Bound { compute, memory };
inline const char* to_string(Bound bound) {
  return bound == Bound::memory ? "memory" : "compute";
}

struct RooflinePoint {
  double intensity = 0;   // flops per byte
  double ridge = 0;       // peak / bandwidth: the intensity at which both limits meet
  double attainable = 0;  // flop/s: min(peak, intensity · bandwidth)
  double share_of_peak = 0;
  Bound bound = Bound::compute;
  static constexpr auto fields() {
    using T = RooflinePoint;
    return described(one_line, KP_NAMED(intensity, ridge, attainable, share_of_peak, bound));
  }
};

Result<double> arithmetic_intensity(double flops, double bytes);
Result<RooflinePoint> roofline(double intensity, double peak_flops, double bandwidth);
// `cores` busy cores of one node: the peak grows with them, the bandwidth up to the node's.
Result<RooflinePoint> roofline_on_cores(double intensity, const Machine& machine, double cores);
// The number of busy cores from which the node's memory is the limit; none: already one core is
// memory bound by its own bandwidth.
Result<std::optional<double>> cores_until_memory_bound(double intensity, const Machine& machine);

// Work W and depth D (the longest chain), in the same unit.
struct WorkDepth {
  double parallelism = 0;   // W/D: no number of workers gives a larger speedup
  double speedup_low = 0;   // W / ((W-D)/K + D): what any greedy schedule reaches
  double speedup_high = 0;  // min(K, W/D)
  static constexpr auto fields() {
    using T = WorkDepth;
    return described(one_line, KP_NAMED(parallelism, speedup_low, speedup_high));
  }
};
Result<WorkDepth> work_depth(double work, double depth, double k);

// ---- Numbers out of the facts and metrics that runs recorded. A fact that is missing or no number
// is absent, never 0.

// The value of the first fact of that name, of any scope, as a number, 0 or above.
std::optional<double> number_fact(const std::vector<Fact>& facts, std::string_view name);
std::optional<double> metric_value(const std::vector<Metric>& metrics, std::string_view name);

// machine.flops_per_core, machine.bandwidth_per_core, machine.bandwidth_of_node: all three or none.
std::optional<Machine> machine_of(const std::vector<Fact>& facts);

}  // namespace kneepoint
