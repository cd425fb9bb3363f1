// SPDX-License-Identifier: Apache-2.0
//
// Every definition of the knee of one curve, side by side, with intervals by the joint bootstrap
// and a sentence where they disagree. Definitions differ for good reasons; docs/methods.md says
// which answers what.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

struct Knee {
  // efficiency: E falls to the floor. power: S·E is largest. marginal: the last step that gains
  // half of what is ideal. min_time: T is least. usl_peak: the same by the Universal Scalability
  // Law. kneedle: furthest above the chord of S; moves with the range measured.
  KneeRule rule = KneeRule::efficiency;
  std::string model;                   // that it comes from; "": it is measured
  std::optional<double> floor;         // efficiency only
  bool powers_of_two = false;          // on that part of the curve only
  std::optional<double> k;             // none unless inside
  std::optional<double> low, high;     // 95%; none: no interval, or see open_high
  bool open_high = false;              // the interval reaches beyond the K measured
  std::optional<int> k_sure, k_maybe;  // efficiency only: as in KneeAnswer
  KneePlace place = KneePlace::none;
  std::optional<double>
      extrapolated;  // where the model has it, when that is outside the K measured
  std::string note;

  // Where the model has it, when that is near enough to be said: as far as predictions go.
  std::optional<double> predicted(int largest) const {
    return extrapolated && *extrapolated <= kPredictTo * largest ? extrapolated : std::nullopt;
  }
  bool is_measured() const { return model.empty(); }
  std::string basis() const { return is_measured() ? "measured" : model; }
  // Of the plan's own floor or another rule, on all K: what decides by `wanted`.
  bool decides(KneeRule wanted, double plan_floor) const {
    return rule == wanted && !powers_of_two && (!floor || *floor == plan_floor);
  }
  static constexpr auto fields() {
    using T = Knee;
    return described(one_line, KP_NAMED(rule, floor, k, low, high, k_sure, k_maybe),
                     field("status", &T::place), KP_NAMED(basis, open_high, extrapolated, note));
  }
};

struct KneesAnswer {
  std::vector<Knee> knees;
  bool agree = true;      // efficiency at the first floor, power and marginal within a factor of 2
  std::string agreement;  // that in words
  bool sawtooth = false;  // K that are no powers of two are slower than the powers around them
  std::vector<std::string> notes;
};

struct KneeOptions {
  std::vector<double> floors = {0.7, 0.8, 0.5};  // the plan's own first
  BootstrapOptions bootstrap;
};

// `times` as ordered() gives them. Fewer than two K: no knee, and a note that says so.
KneesAnswer find_knees(Mode mode, const Times& times, const KneeOptions& options = {});

// The same rule alone, without interval; not for `efficiency`, whose knee find_knee() has. None:
// the rule has no knee on this curve, or rests on a model and none is adequate.
std::optional<RuleKnee> find_rule_knee(Mode mode, const Times& times, KneeRule rule);

// ---- The rules for a knee on one curve as numbers, without intervals and words: what find_knees()
// asks once of the runs and once of every replicate.

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
