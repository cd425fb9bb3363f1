// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/recommend.h"

#include <algorithm>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/study/report.h"
#include "orchestrator/cost/cost_curve.h"

namespace kneepoint {
namespace {

// A table of speedups has no seconds: prices need to know how long the baseline takes.
Result<void> bring_to_seconds(StudyEvidence& evidence, std::optional<double> baseline_seconds) {
  if (!is_relative(evidence)) {
    if (!baseline_seconds) return {};
    return wrong_flag("--baseline", "is for studies that were imported without times");
  }
  if (!baseline_seconds) {
    return wrong_flag("--baseline",
                      "missing; " + evidence.id +
                          " holds speedups without times, so say how long the smallest K takes, "
                          "such as --baseline 2h");
  }
  for (PointEvidence& point : evidence.points) {
    for (RunEvidence& run : point.runs) run.seconds *= *baseline_seconds;
  }
  std::erase_if(evidence.caveats, is_of_relative_times);
  evidence.caveats.push_back(
      {"baseline_given", "The table holds speedups only: every time follows from --baseline."});
  return {};
}

// What a report would say of the study before its numbers.
std::vector<Caveat> caveats_of(const StudyEvidence& evidence) {
  std::vector<Caveat> caveats = evidence.caveats;
  if (evidence.backend == to_string(BackendKind::simulated)) {
    caveats.push_back(
        {"simulated", "Simulated: the times come from formulas, no machine was measured."});
  }
  if (evidence.state != "finished" && evidence.backend != to_string(BackendKind::imported)) {
    caveats.push_back({"unfinished", "The study is " + evidence.state + ": more runs may come."});
  }
  return caveats;
}

// Why a study with prices has no curve to choose from.
Error no_curve(const StudyEvidence& evidence, const StudyAnalysis& analysis,
               const StudyRecommendRequest& request, const PriceItem& item) {
  const auto asked_for = [&](const Curve& curve) {
    return curve.mode == request.mode.value_or(curve.mode) &&
           curve.case_name == request.case_name.value_or(curve.case_name) &&
           std::ranges::any_of(curve.points,
                               [](const PointSummary& point) { return point.valid > 0; });
  };
  const auto& curves = analysis.summary.curves;
  if (std::ranges::none_of(curves, asked_for)) {
    return Error{ErrorCode::not_found, evidence.id + " has no such curve with a valid run"};
  }
  return Error{ErrorCode::invalid,
               evidence.id + " has valid runs, but none that can be billed by item '" + item.name +
                   "': they last longer than ten years, would never end for interruptions, or "
                   "cost more than can be written down. Are their times in the right unit?"};
}

}  // namespace

bool RecommendAnswer::any() const {
  return std::ranges::any_of(
      curves, [](const RecommendedCurve& one) { return one.choice.chosen != nullptr; });
}

Result<RecommendAnswer> recommend_study(const Context& context,
                                        const StudyRecommendRequest& request) {
  RecommendAnswer answer;
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, request.study));
  TRY_ASSIGN(std::optional<Prices> given, prices_of(request.prices, row));
  answer.prices = given ? *std::move(given) : node_hour_prices();
  const auto& [book, item] = answer.prices;
  TRY_ASSIGN(StudyEvidence evidence, store->evidence(row.row));
  TRY(bring_to_seconds(evidence, request.baseline_seconds));
  answer.request = request.wanted;
  answer.request.floor = request.floor.value_or(evidence.knee_floor);
  TRY(check(answer.request, item));
  answer.study = evidence.id;
  answer.caveats = caveats_of(evidence);
  const AnalysisOptions options = analysis_options(evidence);
  const StudyAnalysis analysis = analyse(evidence, options);
  for (CostCurve& curve : cost_curves(evidence, analysis, book, item, options.bootstrap)) {
    if (curve.mode != request.mode.value_or(curve.mode) ||
        curve.case_name != request.case_name.value_or(curve.case_name)) {
      continue;
    }
    if (request.modelled) {
      add_modelled(analysis.curves[curve.index], book, item, options.bootstrap, curve);
    }
    answer.curves.push_back({std::move(curve), {}});
  }
  if (answer.curves.empty()) return no_curve(evidence, analysis, request, item);
  for (RecommendedCurve& one : answer.curves) one.choice = recommend(one, item, answer.request);
  return answer;
}

}  // namespace kneepoint
