// SPDX-License-Identifier: Apache-2.0
//
// The rules for a knee on one curve as numbers, without intervals and words: what find_knees() asks
// once of the runs and once of every replicate.
#pragma once

#include <vector>

#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/analysis/statistics/times.h"

namespace kneepoint {

// A curve by its medians.
struct MeasuredCurve {
  std::vector<int> ks;
  std::vector<double> seconds;
  std::vector<double> cost;      // 1/E
  std::vector<double> smoothed;  // the same, isotonic
  std::vector<double> speedup;   // relative to the first K; weak: scaled

  MeasuredCurve(Mode mode, const Times& times);
};

// Each answers with a K; infinity: the largest K measured or beyond it. A rule that fails at the
// first step answers with the first K.
double most_powerful(const MeasuredCurve& curve);    // S·E
double last_worthwhile(const MeasuredCurve& curve);  // every step to it gains half of the ideal
double fastest(const MeasuredCurve& curve);          // least T
double kneedle(const MeasuredCurve& curve);  // furthest above the chord of S(K), linear axes

// K whose predecessor is no power of two but they are, and whose cost per result is lower.
bool has_sawtooth(Mode mode, const Times& times);
Times powers_of_two(const Times& times);

}  // namespace kneepoint
