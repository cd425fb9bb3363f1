// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/intervals.h"

#include <limits>

namespace kneepoint {

std::optional<ModelIntervals> model_intervals(Mode mode, const Times& times, TermSet terms,
                                              const BootstrapOptions& options) {
  if (fewest_runs(times) < 2) return std::nullopt;
  const auto parameters = [&](const Times& sample, std::span<double> out) {
    Fitter fitter;
    const Coefficients c = fitter.fit(sums_of(sample), terms);
    out[0] = c.one / c.first();
    out[1] = c.log2_k / c.first();
    out[2] = c.k_minus_1 / c.first();
    out[3] = fastest_k(c).value_or(std::numeric_limits<double>::infinity());
  };
  const auto values = joint_bootstrap(times, 4, parameters, options);
  const auto bounds = [&](int column) { return percentile_bounds(values[column], 0.95); };
  ModelIntervals intervals{.log_share = bounds(1), .linear_share = bounds(2)};
  if (mode == Mode::strong) {
    intervals.serial_fraction = bounds(0);
    intervals.fastest_k = bounds(3);
  }
  return intervals;
}

}  // namespace kneepoint
