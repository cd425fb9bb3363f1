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
  std::int64_t samples_needed = 0;  // for both sides
  static constexpr auto fields() {
    using T = TailQuantile;
    return described(one_line, field("value", &T::value), field("low", &T::low),
                     field("high", &T::high));
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
    return described(field("iterations", &T::samples), field("mean", &T::mean),
                     field("p50", &T::p50), field("p95", &T::p95), field("p99", &T::p99),
                     field("max", &T::max), field("max_is_above", &T::max_is_above));
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
    return described(one_line, field("measured", &T::measured), field("expected", &T::expected),
                     field("jitter_share", &T::jitter_share), field("lower_bound", &T::lower_bound),
                     field("sentence", &T::sentence));
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
    return described(one_line, field("name", &T::name), field("unit", &T::unit),
                     field_or_null("better", &T::better), field("runs", &T::runs),
                     field("median", &T::median), fields_of(&T::interval));
  }
};

// By name; a name that comes with two units is two metrics.
std::vector<MetricSummary> metrics_of(const std::vector<const RunDetail*>& runs);

}  // namespace kneepoint
