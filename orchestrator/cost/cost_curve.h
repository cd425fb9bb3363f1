// SPDX-License-Identifier: Apache-2.0
//
// What a result costs at every K of a curve, with intervals that are joint with those of time, and
// which K no other beats in both. Pure. An amount of money in an interval is in units of the
// currency.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/analysis/study_analysis.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/cost/billing.h"
#include "orchestrator/model/money.h"

namespace kneepoint {

struct CostPoint {
  int k = 1;
  bool modelled = false;  // not measured: T is a model's, its interval that of one run there
  Use use;
  double results = 1;  // that one run makes
  double seconds = 0;  // median T
  std::optional<Interval> seconds_interval;
  double efficiency = 0;
  std::optional<Interval> efficiency_interval;  // none at the baseline
  bool baseline = false;
  int runs = 1;        // that count
  Bill bill;           // of one run of the median T
  double success = 1;  // share of the finished runs that succeeded; the cost is divided by it
  Money per_result;    // bill / results / success
  std::optional<Interval> per_result_interval;
  double kwh_per_result = 0;
  std::optional<double> queue_seconds;   // median wait of its runs
  bool on_frontier = false;              // no other K makes a result both sooner and cheaper
  std::optional<double> frontier_share;  // of the resampled curves in which it is
  std::vector<std::string> flags;        // of the measurement
  static constexpr auto fields() {
    using T = CostPoint;
    return described(field("k", &T::k), field("nodes", [](const T& p) { return p.use.nodes; }),
                     KP_NAMED(modelled, seconds, seconds_interval, efficiency),
                     field("per_result_micros", [](const T& p) { return p.per_result.micros; }),
                     KP_NAMED(per_result_interval, results, success),
                     field("billed_seconds", [](const T& p) { return to_seconds(p.bill.billed); }),
                     field("run_micros", [](const T& p) { return p.bill.total; }),
                     field("parts", [](const T& p) { return p.bill.parts; }),
                     KP_NAMED(kwh_per_result, on_frontier, frontier_share, queue_seconds));
  }
};

// Between neighbours on the frontier: from this value of an hour on, the faster one pays.
struct BreakEven {
  int slower = 1, faster = 1;
  Money per_hour;
  static constexpr auto fields() {
    using T = BreakEven;
    return described(KP_NAMED(slower, faster),
                     field("per_hour_micros", [](const T& one) { return one.per_hour.micros; }));
  }
};

struct CostCurve {
  std::string build, case_name, shape_name, result_name, held_fixed;
  Mode mode = Mode::strong;
  std::vector<CostPoint> points;  // K ascending, those with data
  std::vector<BreakEven> break_evens;
  std::vector<std::string> notes;  // what was counted how
  // Replicates × points: what the intervals and ties are made of. Empty with single runs, and at
  // modelled points.
  std::vector<std::vector<double>> seconds_draws, cost_draws;  // by point
  std::size_t index = 0;                                       // of StudyAnalysis::curves
  static constexpr auto fields() {                             // what follows its names
    using T = CostCurve;
    return described(field("points", &T::points), field("break_evens", &T::break_evens),
                     field("notes", &T::notes));
  }
};

// One CostCurve for each curve of the analysis that has data. Prices that make a result cost more
// than can be written down, or a spot run that never ends, leave the point out with a note.
std::vector<CostCurve> cost_curves(const StudyEvidence& evidence, const StudyAnalysis& analysis,
                                   const PriceBook& book, const PriceItem& item,
                                   const BootstrapOptions& bootstrap);

// Of one result at this point if a run took `seconds`, in units; infinity: it would never end.
double cost_of(const PriceItem& item, const CostPoint& point, double seconds);

// Sets on_frontier of every point and the break-evens anew.
void settle_frontier(const std::string& currency, CostCurve& curve);

// The points of which no other is at least as good in both and better in one.
std::vector<bool> frontier(const std::vector<double>& seconds, const std::vector<double>& cost);

// ---- K that nobody measured, priced by what models say of them. They carry their mark everywhere,
// and their interval is that of one run over all plausible models, so it is wide. Pure.

// 1, 2, 3, 4, 6, 8, 12, ... up to `most`.
std::vector<int> usual_ks(int most);
// The K worth a look beside those measured: usual ones up to four times the largest.
std::vector<int> modelled_ks(const CostCurve& curve);

// Adds them to the curve by `analysis`, which it was made of. Where no model fits, or nobody knows
// how many results a run makes there, a note says so instead.
void add_modelled(const CurveAnalysis& analysis, const PriceBook& book, const PriceItem& item,
                  const BootstrapOptions& bootstrap, CostCurve& curve);

// What K workers hold, by those measured around it: on a line between them, in proportion beyond.
Use use_at(const CostCurve& curve, int k);

}  // namespace kneepoint
