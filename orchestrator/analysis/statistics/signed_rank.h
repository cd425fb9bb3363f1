// SPDX-License-Identifier: Apache-2.0
//
// Pairs measured side by side: Wilcoxon's signed ranks of the logs of their ratios, exact, and the
// estimate and interval that agree with the test. Pure.
#pragma once

#include <optional>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

// P(W = w) for w = 0 .. n(n+1)/2: the null distribution without ties.
std::vector<double> signed_rank_null(int n);

struct PairedRatio {
  double ratio = 1;                  // median of all means of two log ratios, as a ratio
  std::optional<Interval> interval;  // none: too few pairs for the level
  double p_above = 1, p_below = 1;   // one-sided: the ratio is above 1, below 1
};

// `logs`: of one ratio a pair; not empty. Exact up to 60 pairs, by the normal approximation above.
PairedRatio paired_ratio(const std::vector<double>& logs);

// The least p that so many pairs can have.
double least_signed_rank_p(int pairs);

}  // namespace kneepoint
