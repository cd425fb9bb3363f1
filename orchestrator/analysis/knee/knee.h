// SPDX-License-Identifier: Apache-2.0
//
// The one knee by a floor of efficiency, and the one K to use. How far up K does E stay at or above
// the floor? Read from the normalised cost 1/E, which is linear in K by Amdahl's law and so
// interpolates exactly, made non-decreasing by the runs behind each K. Reports, claims, searches
// and the gate all ask here.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "orchestrator/analysis/statistics/interval.h"

namespace kneepoint {

// How a knee is defined; docs/methods.md says which answers what.
enum class KneeRule { efficiency, power, marginal, min_time, usl_peak, kneedle };
const char* to_string(KneeRule rule);
std::optional<KneeRule> knee_rule_of(std::string_view word);

// Where a knee is: below the second K, inside the K measured, beyond the largest; none: fewer than
// two K have data.
enum class KneePlace { none, below, inside, beyond };
const char* to_string(KneePlace place);

// Equality cases are exact (Amdahl with 5% serial has E(6) = 0.8), so every comparison with the
// floor gives way by 1e-12 of it.
bool reaches(double efficiency, double floor);

// The non-decreasing sequence nearest to `values` by weighted least squares (pool adjacent
// violators). Same length; weights > 0.
std::vector<double> isotonic_increasing(const std::vector<double>& values,
                                        const std::vector<double>& weights);

struct Crossing {
  std::size_t first_under = 0;  // index of the first K under the floor; their number: none
  double k = 0;                 // by interpolation of the cost; infinity: none
};

// `cost`, 1/E, is not decreasing and has one value for each K, ascending.
Crossing find_crossing(const std::vector<int>& ks, const std::vector<double>& cost, double floor);
// The same of a cost that may fall, smoothed by the runs behind each K.
Crossing find_crossing(const std::vector<int>& ks, const std::vector<double>& cost,
                       const std::vector<double>& runs, double floor);

// One K of a curve.
struct KneePoint {
  int k = 1;
  double cost = 1;                     // 1/E
  std::optional<Interval> efficiency;  // the interval of E
  double runs = 1;
  bool exact = false;  // the baseline: E is 1 by definition, without interval
};

struct KneeAnswer {
  double floor = 0.7;
  KneePlace place = KneePlace::none;
  // Largest measured K such that it and all smaller have E's lower bound (resp. upper) >= floor. A
  // point without an interval is never sure; its own E stands for the upper bound.
  std::optional<int> k_sure, k_maybe;
  std::optional<int> k_measured;  // largest measured K not past the crossing
  std::optional<double> k;        // crossing by interpolation of K·T; only inside

  // As a comparison's JSON has it: "measured", "beyond K_max", "below the first step", "no data".
  const char* where() const;
};

// `points`: those with data, K ascending.
KneeAnswer find_knee(const std::vector<KneePoint>& points, double floor);

// The knee of another rule than the floor.
struct RuleKnee {
  KneePlace place = KneePlace::inside;
  double k = 0;  // inside only
};

enum class KReason {
  no_run,       // no point has a valid run: no K
  one_k,        // only one K has: no K
  sure,         // the largest K that surely keeps the floor, as every smaller one does
  by_medians,   // no point has an interval: the largest K whose median keeps the floor
  none_sure,    // no K surely keeps the floor: no K
  below_knee,   // the rule's knee is below the second K: the first
  within_knee,  // the largest measured K that is not past the rule's knee
  all_within,   // the rule's knee is beyond the largest K measured: that one
};
const char* to_string(KReason reason);

// Which K to use on one curve by the plan's knee rule, always a measured one.
struct RecommendedK {
  KneeRule rule = KneeRule::efficiency;  // the plan's
  bool rule_answers = true;  // false: it has no knee on this curve, so the floor decides
  KReason reason = KReason::no_run;
  std::optional<int> k;
  std::optional<int> possible;  // larger: the medians keep the floor there, but it is not sure

  bool is_by_floor() const { return rule == KneeRule::efficiency || !rule_answers; }
};

// `by_rule`: none where the rule has no knee on this curve; not looked at for `efficiency`.
RecommendedK recommend_k(const std::vector<KneePoint>& points, const KneeAnswer& by_floor,
                         KneeRule rule, const std::optional<RuleKnee>& by_rule);

}  // namespace kneepoint
