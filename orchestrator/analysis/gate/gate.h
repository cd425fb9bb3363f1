// SPDX-License-Identifier: Apache-2.0
//
// Did last night make it worse? Tonight against the nights before it, by docs/methods.md: a
// prediction test for every point and every curve, corrected for their number, confirmed by builds
// measured in turns, by a second night or by a dated step. Pure; nights within one segment, tonight
// last.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/change_points.h"
#include "orchestrator/analysis/statistics/interval.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

enum class Verdict {
  pass,
  improved,
  suspect,
  regressed,
  inconclusive,
  env_change,
  no_baseline,
  failed
};
const char* to_string(Verdict verdict);  // "PASS", "ENV_CHANGE"

// One point over the nights.
struct GateSeries {
  std::string key;    // "default/jacobi/strong/K=4/..."
  std::string curve;  // points of the same one are tested together too
  int k = 1;
  std::vector<std::optional<double>> log_medians;  // by night; none: not measured
  bool failed = false;                             // tonight: a run of it, for good
  Mode mode = Mode::strong;
  std::vector<double> runs;           // tonight's, seconds; empty: not known one by one
  std::vector<double> baseline_runs;  // of the study that is the baseline, if it compares
  double run_sd = 0;                  // of ln T between runs of a night; 0: not known
  double work_per_worker = 1;         // as TimesAtK has it: where it varies, E goes by work
};

// The mean of the last `window` nights against `history` nights before them.
struct NightTest {
  int window = 1;
  int history = 0;
  double t = 0;
  double p_slower = 1, p_faster = 1;  // one-sided
  double effect = 0;                  // e^(mean of the window - median of the history) - 1
  double low = 0, high = 0;           // 95% of 1 + effect
  double sd = 0;
  double cliff = 0;                     // how much oftener slower than faster than those nights
  bool slower = false, faster = false;  // significant, and large enough
  static constexpr auto fields() {
    using T = NightTest;
    return described(field("nights", &T::window), field("history", &T::history),
                     field("ratio", [](const T& test) { return 1 + test.effect; }),
                     KP_NAMED(low, high, p_slower, p_faster), field("deviation", &T::sd),
                     field("cliffs_delta", &T::cliff));
  }
};
// None: too little history.
std::optional<NightTest> night_test(const std::vector<double>& nights, int window,
                                    const GateOptions& options);

// Which of these p are rejected at a level of `alpha` for all of them together.
std::vector<bool> holm(const std::vector<double>& p, double alpha);

// The change that a test at `alpha` would find in four of five nights.
double minimal_detectable(double sd, int history, double alpha);

// Which part of T grew most since the nights before, with its share of the growth: "communication",
// "imbalance and waiting", "compute", of a strong curve also "serial" (compute that doesn't shrink
// with K). Where the workload doesn't say, by the shape of the growth over K.
struct MovedTerm {
  std::string name;
  double share = 0;
  bool by_shape = false;
  static constexpr auto fields() {
    return described(field("part", &MovedTerm::name), field("share", &MovedTerm::share));
  }
};

// A night, and the program that ran on it: hashes; "": not recorded.
struct NightOfProgram {
  std::string night, program;
  KP_DESCRIBED(NightOfProgram, night, program);
};

// A dated change of the level of T, and the nights on either side.
struct LevelChange {
  double ratio = 1;                           // of the new level to the one before
  std::optional<NightOfProgram> last_before;  // none: the history begins with it
  NightOfProgram first_after;
  KP_DESCRIBED(LevelChange, ratio, last_before, first_after);
};

struct GateFinding {
  std::string name;  // key of the point, or name of the curve
  bool whole_curve = false;
  std::vector<int> ks;  // of the point, or all of the curve
  std::vector<NightTest> tests;
  double detectable = 0;  // smallest change seen in four of five nights; 0: unknown
  bool slower = false, faster = false;
  bool slower_before = false, faster_before = false;  // the night before tonight too
  const NightTest* decisive() const;                  // the one with the least p; nullptr: none

  // Of explain() in history.h; nothing before.
  std::optional<MovedTerm> moved;    // of one that is slower
  std::vector<LevelChange> changes;  // oldest first; of a curve, and of a point with a change
  const LevelChange* since() const;  // that tonight's level is; nullptr: none is dated
  static constexpr auto fields() {
    using T = GateFinding;
    return described(
        KP_NAMED(name, whole_curve), field("k", &T::ks),
        KP_NAMED(slower, slower_before, faster, faster_before, detectable, tests),
        field("moved", [](const T& f) { return f.moved ? &f.moved->name : nullptr; }),
        field("moved_share", [](const T& f) { return f.moved ? &f.moved->share : nullptr; }),
        field("since",
              [](const T& f) { return f.since() ? &f.since()->first_after.night : nullptr; }),
        field("level_ratio", [](const T& f) { return f.since() ? &f.since()->ratio : nullptr; }));
  }
};

// Pairs of runs of the pinned and the new build, in turns on one allocation.
struct ConfirmedPoint {
  std::string key;
  std::vector<double> baseline, candidate;  // seconds
};
struct Confirmation {
  std::string name;
  bool whole_curve = false;
  double ratio = 1;
  std::optional<Interval> interval;
  double p = 1;
  double cliff = 0;
  bool confirmed = false;
  static constexpr auto fields() {
    using T = Confirmation;
    return described(KP_NAMED(name, whole_curve, ratio),
                     fields_of([](const T& one) { return bounds_of(one.interval); }),
                     field("p", &T::p), field("cliffs_delta", &T::cliff),
                     field("confirmed", &T::confirmed));
  }
};

// Tonight's runs of a point against those of the baseline study: all there is while nights are few.
struct BaselineRatio {
  std::string name;
  double ratio = 1;
  std::optional<Interval> interval;
  double cliff = 0;
  bool slower = false, faster = false;  // the interval is off 1, and the ratio by min_effect
  static constexpr auto fields() {
    using T = BaselineRatio;
    return described(KP_NAMED(name, ratio),
                     fields_of([](const T& one) { return bounds_of(one.interval); }),
                     field("cliffs_delta", &T::cliff), KP_NAMED(slower, faster));
  }
};

// A curve's last nights against the one night of the baseline.
struct Drift {
  std::string name;
  double ratio = 1;
  double p = 1;
  bool drifted = false, drifted_before = false;  // the same the night before
  static constexpr auto fields() {
    using T = Drift;
    return described(field("curve", &T::name), KP_NAMED(ratio, p, drifted, drifted_before));
  }
};

// Where efficiency falls to the floor, tonight and in the nights before.
struct KneeShift {
  std::string name;
  double before = 0, tonight = 0;  // K, at most the largest measured
  double octaves = 0;              // log2 of their ratio
  double low = 0, high = 0;        // so that each side errs as often as a curve's test may
  bool shifted = false;
  bool confirmed = false;  // by builds in turns
  static constexpr auto fields() {
    using T = KneeShift;
    return described(field("curve", &T::name),
                     KP_NAMED(before, tonight, octaves, low, high, shifted, confirmed));
  }
};

// What an inconclusive night lacks; 0: more of it would not do.
struct GateNeeds {
  int nights = 0;   // more of them
  int repeats = 0;  // at a point, instead of those there are
  std::string sentence;
  KP_DESCRIBED(GateNeeds, nights, repeats);
};

struct GateAnswer {
  Verdict verdict = Verdict::no_baseline;
  std::string why;                  // a sentence
  std::vector<GateFinding> points;  // in the order of the series
  std::vector<GateFinding> curves;  // in the order of their first point
  std::vector<Confirmation> confirmed;
  int nights = 0;                               // before tonight
  double curve_detectable = 0;                  // the worst of the curves; 0: unknown
  std::vector<BaselineRatio> against_baseline;  // while nights are few, points with a baseline
  std::vector<Drift> drifts;                    // of curves with a baseline
  std::vector<KneeShift> knees;                 // of curves with enough K and runs
  std::optional<GateNeeds> needs;               // inconclusive
};

struct GateHistory;  // history.h

// The rule that ships: every command, the server and the simulations have their verdicts from it.
// `turns`: what was measured in turns for what is suspect; none: nothing was, so a second night in
// a row decides.
GateAnswer gate(const GateHistory& history, const GateOptions& options = {},
                const std::optional<std::vector<ConfirmedPoint>>& turns = std::nullopt);
// The same where only times are known: nights of finished studies in one environment.
GateAnswer gate(std::vector<GateSeries> series, const GateOptions& options = {},
                const std::optional<std::vector<ConfirmedPoint>>& turns = std::nullopt);

}  // namespace kneepoint
