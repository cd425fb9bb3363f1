// SPDX-License-Identifier: Apache-2.0
//
// Intervals over runs, by docs/methods.md. Deterministic: no resampling, no seed. An interval says
// the level that it really has and the method that made it; where none exists there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

constexpr double kLevel = 0.95;  // what is asked for; an exact method gives at least this or none

// Their mean, and the sum of squares about it.
struct Scatter {
  double mean = 0, squares = 0;
};
Scatter scatter_of(std::span<const double> values);

// Mean of the two middle values when their number is even. `values` must not be empty.
double median(std::vector<double> values);

// Values further from the median than 5 · 1.4826 · MAD. None when the MAD is 0: no scale is known.
int count_outliers(const std::vector<double>& values);

struct RankChoice {
  std::int64_t k = 0;  // 0: no interval of the level exists
  double level = 0;
};

// The largest k with P(U <= k-1) <= (1-level)/2: [D(k), D(nm+1-k)] of the sorted differences.
// Exact up to 400 pairs (20 × 20), by the normal approximation of U above that.
RankChoice hodges_lehmann_rank(int n, int m, double level = kLevel);

// Ranks lo and n+1-lo of the sorted values: the narrowest that hold the median with at least
// `level`, or the whole range with the level that it has. k = lo.
RankChoice median_rank(int n, double level = kLevel);

// The median of all ratios above[i] / below[j]; all values > 0, neither sample empty.
double hodges_lehmann_ratio(std::vector<double> above, std::vector<double> below);

// The interval of above / below, both independent samples of positive times. Hodges-Lehmann where
// the sizes allow the level; else Welch's t on logs; none when a sample has one value only.
std::optional<Interval> ratio_interval(std::vector<double> above, std::vector<double> below);

// Is above / below another ratio than 1?
struct RatioTest {
  double ratio = 1;
  std::optional<Interval> interval;  // none: too few values for the level
  double p_above = 1, p_below = 1;   // one-sided: the ratio is above 1, below 1
};
// Of two independent samples of positive times, by Mann and Whitney's exact test; neither is empty.
// With one value in a sample both p are 1.
RatioTest ratio_test(const std::vector<double>& above, const std::vector<double>& below);

// Mann and Whitney's one-sided p: is `candidate` slower than `baseline`?
double mann_whitney_slower(const std::vector<double>& candidate,
                           const std::vector<double>& baseline);
// How much oftener a value of the first is above one of the second than below: -1 to 1.
double cliffs_delta(const std::vector<double>& first, const std::vector<double>& second);

// The interval of the median: "order statistics" from n = 5 on, "range" at 2..4, none at 1.
std::optional<Interval> median_interval(std::vector<double> values);

// ---- Pairs measured side by side: Wilcoxon's signed ranks of the logs of their ratios, exact, and
// the estimate and interval that agree with the test. Pure.

// P(W = w) for w = 0 .. n(n+1)/2: the null distribution without ties.
std::vector<double> signed_rank_null(int n);

// `logs`: of one ratio a pair; not empty. The ratio is the median of all means of two of them.
// Exact up to 60 pairs, by the normal approximation above.
RatioTest paired_ratio(const std::vector<double>& logs);

// The least p that so many pairs can have.
double least_signed_rank_p(int pairs);

}  // namespace kneepoint
