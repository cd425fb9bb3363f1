// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/compare.h"

#include <algorithm>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/study/report.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostStudies = 16;

struct AnalysedStudy {
  StudyEvidence evidence;
  StudyAnalysis analysis;
  std::vector<CostCurve> costs;
  Prices prices;
};

std::optional<CostPoint> cost_at(const AnalysedStudy& study, int curve, int k) {
  const auto costs = std::ranges::find(study.costs, curve, &CostCurve::index);
  if (costs == study.costs.end()) return std::nullopt;
  const auto point = std::ranges::find(costs->points, k, &CostPoint::k);
  return point == costs->points.end() ? std::nullopt : std::optional(*point);
}

// What the runs of a curve at K took, and hold.
PricedRuns runs_at(const AnalysedStudy& study, int curve, const CostPoint& cost) {
  PricedRuns runs{cost.use, cost.results, cost.success, {}};
  for (const TimesAtK& at : study.analysis.curves[curve].times) {
    if (at.k == cost.k) runs.seconds = at.seconds;
  }
  return runs;
}

// The largest common K at which A has at least the floor's efficiency, else the smallest.
std::optional<int> telling_k(const CurveComparison& curve, double floor) {
  std::optional<int> chosen;
  for (const ComparedPoint& at : curve.points) {
    if (!at.ratio) continue;
    if (!chosen || at.a.efficiency >= floor * (1 - 1e-12)) chosen = at.k;
  }
  return chosen;
}

PricedComparison priced(CurveComparison compared, const AnalysedStudy& a, const AnalysedStudy& b,
                        double floor, bool same_currency) {
  PricedComparison out;
  static_cast<CurveComparison&>(out) = std::move(compared);
  out.telling_k = telling_k(out, floor);
  const Curve& left = a.analysis.summary.curves[out.curve_a];
  if (!left.points.empty()) out.result_name = left.points.front().point.result_name;
  for (const ComparedPoint& point : out.points) {
    PricedPoint& at = out.priced_points.emplace_back(
        PricedPoint{point, cost_at(a, out.curve_a, point.k), cost_at(b, out.curve_b, point.k), {}});
    if (!at.ratio || !at.cost_a || !at.cost_b || !same_currency) continue;
    at.below = break_even_price(at.k, a.prices.item, runs_at(a, out.curve_a, *at.cost_a),
                                b.prices.item, runs_at(b, out.curve_b, *at.cost_b),
                                a.prices.book.currency, analysis_options(a.evidence).bootstrap);
  }
  return out;
}

Result<AnalysedStudy> analysed(StudyStore& store, const CompareRequest& request,
                               const std::string& words, Prices prices,
                               std::optional<double>& floor) {
  AnalysedStudy out;
  out.prices = std::move(prices);
  TRY_ASSIGN(const StudyRow row, find_study(store, words));
  TRY_ASSIGN(out.evidence, store.evidence(row.row));
  if (!floor) floor = out.evidence.knee_floor;  // A's holds for all
  out.evidence.knee_floor = *floor;
  std::erase_if(out.evidence.points, [&](const PointEvidence& at) {
    return at.point.mode != request.mode.value_or(at.point.mode) ||
           at.point.case_name != request.case_name.value_or(at.point.case_name);
  });
  if (out.evidence.points.empty()) {
    return Error{ErrorCode::not_found, out.evidence.id + " has no such curve"};
  }
  const AnalysisOptions options = analysis_options(out.evidence);
  out.analysis = analyse(out.evidence, options);
  if (!is_relative(out.evidence)) {
    out.costs = cost_curves(out.evidence, out.analysis, out.prices.book, out.prices.item,
                            options.bootstrap);
  }
  return out;
}

ComparePair compared(const AnalysedStudy& a, const AnalysedStudy& b, double floor) {
  ComparePair pair;
  const std::string& mine = a.prices.book.currency;
  const std::string& theirs = b.prices.book.currency;
  if (mine != theirs) {
    pair.no_money = "the prices are in " + mine + " and " + theirs +
                    ": costs stand side by side, but no break-even price follows";
  }
  StudyComparison found = compare_studies({a.evidence, a.analysis}, {b.evidence, b.analysis});
  pair.compared = found.anything();
  for (CurveComparison& curve : found.curves) {
    pair.curves.push_back(priced(std::move(curve), a, b, floor, mine == theirs));
  }
  pair.not_compared = std::move(found.not_compared);
  pair.differences = std::move(found.differences);
  pair.notes = std::move(found.notes);
  return pair;
}

}  // namespace

ComparedKnee PricedComparison::knee_of(bool b) const {
  const KneeAnswer& knee = b ? knee_b : knee_a;
  const std::optional<Knee>& range = b ? knee_range_b : knee_range_a;
  if (!range) return {knee.k, knee.where(), {}, {}};
  return {knee.k, knee.where(), range->low, range->high, range->open_high};
}

const PricedPoint* PricedComparison::telling() const {
  for (const PricedPoint& at : priced_points) {
    if (telling_k == at.k) return &at;
  }
  return nullptr;
}

bool CompareAnswer::any() const {
  return std::ranges::any_of(pairs, [](const ComparePair& p) { return p.compared; });
}

Result<CompareAnswer> compare(const Context& context, const CompareRequest& request) {
  const std::vector<std::string>& words = request.studies;
  if (words.size() > kMostStudies) {
    return Error{ErrorCode::invalid, "at most " + std::to_string(kMostStudies) + " studies"};
  }
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  std::vector<SitePrice> own;
  for (const std::string& word : words) {
    TRY_ASSIGN(const StudyRow row, find_study(*store, word));
    own.push_back(row.price);
  }
  TRY_ASSIGN(StudyPrices prices, prices_of_studies(request.prices, request.items, own));
  CompareAnswer answer;
  answer.problems = std::move(prices.problems);
  if (!answer.problems.empty()) return answer;

  answer.priced = prices.known;
  std::optional<double> floor = request.floor;
  std::vector<AnalysedStudy> studies;
  for (std::size_t i = 0; i < words.size(); ++i) {
    TRY_ASSIGN(AnalysedStudy one,
               analysed(*store, request, words[i], std::move(prices.prices[i]), floor));
    for (std::size_t j = 0; j < studies.size(); ++j) {
      if (studies[j].evidence.id != one.evidence.id) continue;
      return Error{ErrorCode::invalid, "'" + words[j] + "' and '" + words[i] +
                                           "' are the same study, " + one.evidence.id};
    }
    answer.studies.push_back({one.evidence.id, one.evidence.site, one.evidence.backend,
                              one.evidence.caveats, one.prices});
    studies.push_back(std::move(one));
  }
  answer.floor = *floor;
  for (std::size_t i = 1; i < studies.size(); ++i) {
    ComparePair& pair = answer.pairs.emplace_back(compared(studies[0], studies[i], answer.floor));
    pair.a = answer.studies[0];
    pair.b = answer.studies[i];
  }
  return answer;
}

}  // namespace kneepoint
