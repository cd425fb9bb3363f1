// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/curve_analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/curve_warnings.h"
#include "orchestrator/analysis/machine_facts.h"
#include "orchestrator/analysis/point_detail.h"
#include "orchestrator/analysis/valid_runs.h"

namespace kneepoint {
namespace {

// The plan's floor first, then the lines that are always shown.
std::vector<double> floors_of(double floor) {
  std::vector<double> floors = {floor};
  for (const double line : {0.8, 0.5}) {
    if (line != floor) floors.push_back(line);
  }
  return floors;
}

std::vector<int> prediction_targets(const Times& times, const AnalysisOptions& options) {
  if (!options.predict_to.empty()) return options.predict_to;
  const int largest = times.back().k;
  if (largest > std::numeric_limits<int>::max() / 4) return {};
  return {2 * largest, 4 * largest};
}

// The last point that has data.
std::optional<std::size_t> last_with_data(const Curve& curve) {
  for (std::size_t i = curve.points.size(); i-- > 0;) {
    if (curve.points[i].valid > 0) return i;
  }
  return std::nullopt;
}

std::optional<LossShares> shares_by_model(Mode mode, const ModelFit& fit, int k) {
  // Against one worker by the model: strong K·T(K) - T(1), weak T(K) - T(1), term by term.
  const Coefficients& c = fit.coefficients;
  const double per = mode == Mode::strong ? k : 1;
  const double serial = mode == Mode::strong ? c.one * (k - 1) : 0;
  const double communication = per * (c.log2_k * std::log2(k) + c.k_minus_1 * (k - 1));
  const double loss = serial + communication;
  if (!(loss > 0)) return std::nullopt;
  return LossShares{.basis = "model " + fit.name,
                    .k = k,
                    .serial = serial / loss,
                    .communication = communication / loss};
}

void add_decomposition(const StudyEvidence& evidence, const CurveMembers& members,
                       const Curve& curve, CurveAnalysis& analysis) {
  const auto last = last_with_data(curve);
  if (!last) return;
  const PointSummary& p = curve.points[*last];
  if (p.point.parallelism >= 1) {
    // In units of what one worker at most does alone, the depth is 1.
    if (const auto depth = work_depth(p.point.parallelism, 1, p.point.k)) {
      analysis.work_depth = *depth;
    }
  }
  const Result<double> intensity = arithmetic_intensity(p.point.flops, p.point.bytes);
  if (!intensity) return;
  analysis.intensity = *intensity;
  const PointEvidence& point = evidence.points[p.index];
  for (const RunEvidence* run : valid_runs(members, point)) {
    const RunDetail* detail = detail_of(point, *run);
    const auto machine = detail ? machine_of(detail->facts) : std::nullopt;
    if (!machine) continue;
    if (const auto cores = cores_until_memory_bound(*intensity, *machine)) {
      analysis.cores_until_memory_bound = *cores;
    }
    return;
  }
}

}  // namespace

Times times_of(const StudyEvidence& evidence, const CurveMembers& members, const Curve& curve) {
  Times times;
  for (const PointSummary& p : curve.points) {
    if (p.valid == 0) continue;
    TimesAtK at{.k = p.point.k, .seconds = valid_seconds(members, evidence.points[p.index])};
    if (p.efficiency_by_work) at.work_per_worker = *p.efficiency_by_work / p.efficiency;
    times.push_back(std::move(at));
  }
  if (times.empty()) return {};
  return ordered(std::move(times)).value_or({});
}

Times at_equal_work(Times times) {
  for (TimesAtK& at : times) {
    if (at.work_per_worker == 1) continue;
    for (double& t : at.seconds) t /= at.work_per_worker;
    at.work_per_worker = 1;
  }
  return times;
}

std::optional<LossShares> loss_shares(const Curve& curve, const CurveAnalysis& analysis) {
  const auto last = last_with_data(curve);
  if (!last || curve.points[*last].baseline) return std::nullopt;
  const int k = curve.points[*last].point.k;
  const auto& accounting = analysis.points[*last].accounting;
  if (accounting && accounting->consistent) {
    if (accounting->implied_efficiency >= 1) return std::nullopt;
    return LossShares{.basis = "breakdown",
                      .k = k,
                      .imbalance = accounting->balance_share,
                      .communication = accounting->communication_share,
                      .computation = accounting->computation_share};
  }
  if (analysis.models.fits.empty()) return std::nullopt;
  return shares_by_model(curve.mode, analysis.models.fits.front(), k);
}

CurveAnalysis analyse_curve(const StudyEvidence& evidence, const CurveMembers& members,
                            const Curve& curve, const AnalysisOptions& options) {
  CurveAnalysis analysis;
  std::vector<Warning> of_points;
  analysis.times = times_of(evidence, members, curve);
  analysis.points = point_details(evidence, members, curve, of_points);
  if (!analysis.times.empty()) {
    const Times times = at_equal_work(analysis.times);
    analysis.models = fit_models(curve.mode, times);
    if (!analysis.models.fits.empty()) {
      analysis.best_intervals =
          model_intervals(curve.mode, times, analysis.models.fits.front().terms, options.bootstrap);
    }
    KneeOptions knees{.floors = floors_of(evidence.knee_floor), .bootstrap = options.bootstrap};
    analysis.knees = find_knees(curve.mode, times, knees);
    PredictionOptions predict{.bootstrap = options.bootstrap, .beyond_cap = options.beyond_cap};
    analysis.predictions =
        predict_times(times, analysis.models, prediction_targets(times, options), predict);
    analysis.loss = loss_shares(curve, analysis);
    add_decomposition(evidence, members, curve, analysis);
  }
  analysis.warnings = curve_warnings(evidence, members, curve, analysis);
  std::move(of_points.begin(), of_points.end(), std::back_inserter(analysis.warnings));
  return analysis;
}

}  // namespace kneepoint
