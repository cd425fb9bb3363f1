// SPDX-License-Identifier: Apache-2.0
//
// What would make nights conclusive: more of them, more repeats, or nothing of the kind. A night's
// mean over a curve scatters by what its runs do and by what the night does to all of them; only
// the first shrinks with repeats.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr int kMostRepeats = 50;

// The largest deviation of `history` nights that is not inconclusive, by the rule of gate().
double deviation_wanted(int history, const GateOptions& options) {
  return std::log1p(options.max_regression) /
         std::log1p(minimal_detectable(1, history, options.curve_alpha)) /
         deviation_at_least(history);
}

// The part of the curve's variance that is of its runs: that of medians of them, over the points.
struct RunPart {
  double variance = 0;
  int repeats = 0;  // fewest of tonight
};

RunPart run_part(const std::vector<GateSeries>& series, const CurveNights& curve) {
  RunPart part;
  for (const std::size_t i : curve.points) {
    const auto runs = static_cast<int>(series[i].runs.size());
    if (runs == 0 || series[i].run_sd <= 0) return {};
    part.variance += std::numbers::pi / 2 * series[i].run_sd * series[i].run_sd / runs;
    part.repeats = part.repeats == 0 ? runs : std::min(part.repeats, runs);
  }
  const auto points = static_cast<double>(curve.points.size());
  part.variance /= points * points;
  return part;
}

std::string nights_text(int nights) {
  return std::to_string(nights) + (nights == 1 ? " more night" : " more nights");
}

}  // namespace

GateNeeds needs_of(const std::vector<GateSeries>& series, const CurveNights& curve,
                   const NightTest& test, const GateOptions& options) {
  GateNeeds needs;
  for (int history = test.history + 1; history <= options.most_history; ++history) {
    if (test.sd > deviation_wanted(history, options)) continue;
    needs.nights = history - test.history;
    needs.sentence = nights_text(needs.nights) + " would do";
    return needs;
  }
  const RunPart part = run_part(series, curve);
  const double wanted = deviation_wanted(options.most_history, options);
  const double nightly = std::max(0.0, test.sd * test.sd - part.variance);
  const double left = wanted * wanted - nightly;
  if (part.repeats > 0 && left > 0) {
    const double repeats = std::ceil(part.repeats * part.variance / left);
    if (repeats <= kMostRepeats) {
      needs.repeats = std::max(part.repeats + 1, static_cast<int>(repeats));
      needs.nights = std::max(0, options.most_history - test.history);
      needs.sentence = std::to_string(needs.repeats) + " repeats instead of " +
                       std::to_string(part.repeats) +
                       (needs.nights > 0 ? " and " + nights_text(needs.nights) : "") + " would do";
      return needs;
    }
  }
  needs.sentence =
      "neither more nights nor more repeats would do, since the nights themselves "
      "differ by " +
      format_number("%.1f%%", 100 * std::sqrt(nightly > 0 ? nightly : test.sd * test.sd));
  return needs;
}

}  // namespace kneepoint
