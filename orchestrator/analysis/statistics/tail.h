// SPDX-License-Identifier: Apache-2.0
//
// Latency of single iterations: quantiles with intervals from order statistics, and how the slowest
// of more ranks grows out of the same noise. Jitter is told from bad scaling by that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct TailQuantile {
  double p = 0;
  double value = 0;                 // the smallest sample with at least a share p at or below it
  std::optional<double> low, high;  // each side 97.5%; none: too few samples for that side
  static constexpr auto fields() {
    using T = TailQuantile;
    return described(one_line, KP_NAMED(value, low, high));
  }
};

struct TailSummary {
  std::int64_t samples = 0;
  double mean = 0;
  TailQuantile p50, p95, p99;
  double max = 0;
  // With 97.5% confidence the maximum is above this quantile: what it can stand for.
  double max_is_above = 0;
  static constexpr auto fields() {
    using T = TailSummary;
    return described(field("iterations", &T::samples),
                     KP_NAMED(mean, p50, p95, p99, max, max_is_above));
  }
};
Result<TailSummary> summarise_tail(std::vector<double> seconds);

struct ExpectedMax {
  double value = 0;
  // The chance that so many draws exceed every sample seen: draws / (draws + samples).
  double beyond_samples = 0;
  bool lower_bound = false;  // that chance is 10% or more: the true value is larger
};
// E[max of `draws` independent draws] from the samples' own distribution. `draws` >= 1, may be
// fractional: samples that are maxima over r ranks give those over R ranks with draws = R/r.
Result<ExpectedMax> expected_max(std::vector<double> seconds, double draws);

enum class TailVerdict { no_growth, jitter, scaling, both };

// Weak mode: the per-rank work is the same, so noise alone would make the mean iteration grow from
// that at `ranks0` to the expected maximum over ranks/ranks0 draws.
struct TailGrowth {
  double measured = 0;      // mean(ranks) / mean(ranks0)
  double expected = 0;      // from noise alone
  double jitter_share = 0;  // (expected-1)/(measured-1), in 0..1; 0 when nothing grew
  bool lower_bound = false;
  TailVerdict verdict = TailVerdict::no_growth;
  std::string sentence;
  static constexpr auto fields() {
    using T = TailGrowth;
    return described(one_line, KP_NAMED(measured, expected, jitter_share, lower_bound, sentence));
  }
};
Result<TailGrowth> tail_growth(const std::vector<double>& seconds0, double ranks0,
                               const std::vector<double>& seconds, double ranks);

// ---- The numbers by name that runs report besides T: of each the median over a point's valid runs
// with its interval. `time` is T itself and is not among them. They decide nothing: knees go by T.

struct MetricSummary {
  std::string name, unit;
  std::string better;  // lower | higher; "": the plan does not say
  int runs = 0;        // that have it
  double median = 0;
  std::optional<Interval> interval;
  static constexpr auto fields() {
    using T = MetricSummary;
    return described(one_line, KP_NAMED(name, unit), field_or_null("better", &T::better),
                     KP_NAMED(runs, median), fields_of(&T::interval));
  }
};

// By name; a name that comes with two units is two metrics.
std::vector<MetricSummary> metrics_of(const std::vector<const RunDetail*>& runs);

}  // namespace kneepoint
