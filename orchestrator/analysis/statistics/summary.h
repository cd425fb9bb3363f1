// SPDX-License-Identifier: Apache-2.0
//
// From runs to speedup and efficiency with intervals, by docs/methods.md. Pure functions over plain
// values. T(K) is the median of valid runs; runs that failed never enter a number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/statistics/interval.h"
#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

// Flags of a point that notes explain; kStandInFlag is another one. Others hold a number.
inline constexpr char kEmulatedFlag[] = "emulated";
inline constexpr char kOversubscribedFlag[] = "oversubscribed";
inline constexpr char kBindingFlag[] = "binding differs";
inline constexpr char kBusyFlag[] = "busy machine";
inline constexpr char kDisturbedFlag[] = "disturbed";
inline constexpr char kSuperlinearFlag[] = "E>1 (superlinear; see methods)";

// What an efficiency compares: times, or times per unit of work.
enum class EfficiencyBasis { time, work };
constexpr auto words_of(EfficiencyBasis) {
  return std::array{"time", "work"};
}

// One point of a curve.
struct PointSummary {
  Point point;
  int index = 0;          // of StudyEvidence::points: where its runs are
  bool baseline = false;  // K0: speedup 1 and efficiency 1 by definition, without interval
  int valid = 0;          // runs that count
  int failed = 0;         // runs finished without a valid time
  int pending = 0;        // runs not finished yet
  int outliers = 0;       // flagged by MAD, never dropped
  int set_apart = 0;      // runs of another provenance than the curve's: on no or another curve
  double seconds = 0;     // median T; 0 when valid == 0
  std::optional<Interval> seconds_interval;
  double speedup = 0;  // relative to the curve's baseline K0, by time; weak: scaled, K/K0 · T0/T
  std::optional<Interval> speedup_interval;
  // By work where the work per worker of a weak curve isn't constant, else by time: what every
  // knee, K and report means by E.
  double efficiency = 0;
  std::optional<Interval> efficiency_interval;
  EfficiencyBasis efficiency_basis = EfficiencyBasis::time;
  double efficiency_plain = 0;  // by time, whatever the work
  std::optional<Interval> efficiency_plain_interval;
  std::optional<double> karp_flatt;  // strong, K > K0; brought to K = 1 when K0 is not 1
  std::optional<Interval> karp_flatt_interval;
  double work_total = 0;                              // median over runs; 0: not reported
  double compute_share = 0, communication_share = 0;  // of T; 0 and 0: not measured
  double node_seconds_per_result = 0;
  // "oversubscribed", "emulated", "2 of 5 repeats failed", "E>1 (superlinear; see methods)"...
  std::vector<std::string> flags;

  bool is_by_work() const { return efficiency_basis == EfficiencyBasis::work; }
};

// build × case × mode × shape family: K ascending.
struct Curve : CurveName {
  std::string held_fixed;
  int k0 = 1;  // baseline; "relative to K0" is said when it isn't 1
  bool emulated = false;
  bool stand_in = false;  // some run had a CPU stand-in for its GPU
  std::vector<PointSummary> points;
  std::vector<std::string> findings;  // "work per worker varies by 3.1%": said above the table
  std::string uneven_work;            // the one on work; "": none
  std::vector<KneeAnswer> lines;      // the same rule at 0.8 and 0.5, always shown

  const PointSummary* baseline() const;  // nullptr when no point has data
  const PointSummary* largest() const;   // with data; nullptr when no point has
  const PointSummary* at(int k) const;   // nullptr: not on this curve
};

struct StudySummary {
  std::vector<Curve> curves;
  std::vector<KneeAnswer> knees;      // per curve, at the plan's floor
  std::vector<RecommendedK> to_use;   // per curve, by the plan's rule
  bool anything_ran = false;          // some run came to an end
  bool all_points_have_data = false;  // every point has a valid run
};

StudySummary summarise(const StudyEvidence& evidence);

// What the knee of a curve is read from: its points with data.
std::vector<KneePoint> knee_points(const Curve& curve);

// The valid runs as models take them; weak curves whose work per worker varies carry it. `curve` is
// the summary of `members`.
Times times_of(const StudyEvidence& evidence, const CurveMembers& members, const Curve& curve);
// The same, each time brought to the baseline's work per worker.
Times at_equal_work(Times times);

// The half-width of E's interval at each point, in the order of evidence.points (infinity:
// unknown); what repeat.until looks at. The baseline has the widest of its curve's, since every E
// rests on its runs too; alone on its curve, the half-width of its own T relative to T.
std::vector<double> efficiency_half_widths(const StudyEvidence& evidence);

// ---- Is a curve what its label says? Strong: the total work is the same at every K. Weak: the
// work per worker is. Judged by the work that the ranks report, not by the plan.

constexpr double kStrongWorkTolerance = 0.001;  // of the baseline's total work
constexpr double kWeakWorkTolerance = 0.01;     // of the baseline's work per worker

// Adds findings, and brings E of every point of a weak curve that fails to its work. Needs the
// curve's baseline and the points' numbers; says nothing when the workload reports no work.
void check_work(Curve& curve);

}  // namespace kneepoint
