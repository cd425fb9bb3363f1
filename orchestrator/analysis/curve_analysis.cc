// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/analysis/parts.h"
#include "orchestrator/analysis/valid_runs.h"

namespace kneepoint {
namespace {

constexpr int kDraws = 20'000'000;  // runs drawn in one bootstrap
constexpr int kFewestReplicates = 400;
constexpr std::size_t kMostInBand = 16;  // K of the band that figures show

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

// The K measured, thinned out where there are many, and twice the largest.
std::vector<int> band_targets(const Times& times) {
  std::vector<int> ks;
  const std::size_t stride = (times.size() + kMostInBand - 1) / kMostInBand;
  for (std::size_t i = 0; i < times.size(); i += stride) ks.push_back(times[i].k);
  if (ks.back() != times.back().k) ks.push_back(times.back().k);
  if (ks.back() <= std::numeric_limits<int>::max() / 2) ks.push_back(2 * ks.back());
  return ks;
}

// Predictions asked for, and in the same go those of the band: they share its replicates.
void add_predictions(const Times& times, const AnalysisOptions& options,
                     const PredictionOptions& predict, CurveAnalysis& analysis) {
  std::vector<int> ks = prediction_targets(times, options);
  const std::vector<int> band = band_targets(times);
  if (!analysis.models.fits.empty()) ks.insert(ks.end(), band.begin(), band.end());
  analysis.predictions = predict_times(times, analysis.models, ks, predict);
  if (analysis.models.fits.empty()) return;
  auto& all = analysis.predictions.predictions;
  for (auto it = all.end() - static_cast<std::ptrdiff_t>(band.size()); it != all.end(); ++it) {
    analysis.band.push_back({it->k, it->seconds, it->low, it->high});
  }
  all.resize(all.size() - band.size());
}

// Very many runs need no 2000 replicates: their intervals are narrow, and the time is the user's.
BootstrapOptions affordable(BootstrapOptions bootstrap, const Times& times) {
  const int affordable = std::max(kFewestReplicates, kDraws / count_runs(times));
  bootstrap.replicates = std::min(bootstrap.replicates, affordable);
  return bootstrap;
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

// Only where communication can be seen: without it every problem is large enough or none is.
std::vector<IsoGrowth> isoefficiency(Mode mode, const Times& times, const ModelFit& fit,
                                     double efficiency) {
  std::vector<IsoGrowth> rows;
  const int largest = times.back().k;
  const bool linear = fit.linear_share * (largest - 1) > fit.log_share * std::log2(1.0 * largest);
  const double communication = linear ? fit.linear_share : fit.log_share;
  if (mode != Mode::strong || !(communication > 0) || !fit.serial_fraction) return rows;
  if (largest > std::numeric_limits<int>::max() / 4) return rows;
  for (const int k : {largest, 2 * largest, 4 * largest}) {
    const IsoRequest request{.serial = *fit.serial_fraction,
                             .communication = communication,
                             .efficiency = efficiency,
                             .k = static_cast<double>(k),
                             .growth = linear ? Growth::linear : Growth::logarithmic};
    const auto replicated = isoefficiency_replicated(request);
    const auto fixed = isoefficiency_fixed_serial(request);
    const auto proportional = isoefficiency_proportional(request);
    if (!replicated || !fixed || !proportional) continue;
    rows.push_back({k, efficiency, request.growth, *replicated, *fixed, *proportional});
  }
  return rows;
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
    const BootstrapOptions bootstrap = affordable(options.bootstrap, times);
    if (bootstrap.replicates < options.bootstrap.replicates) {
      of_points.push_back(
          {"fewer_replicates", std::to_string(count_runs(times)) +
                                   " runs: intervals of the curve rest on " +
                                   std::to_string(bootstrap.replicates) + " instead of " +
                                   std::to_string(options.bootstrap.replicates) + " replicates"});
    }
    analysis.models = fit_models(curve.mode, times);
    if (!analysis.models.fits.empty()) {
      analysis.isoefficiency =
          isoefficiency(curve.mode, times, analysis.models.fits.front(), evidence.knee_floor);
      analysis.best_intervals =
          model_intervals(curve.mode, times, analysis.models.fits.front().terms, bootstrap);
    }
    KneeOptions knees{.floors = floors_of(evidence.knee_floor), .bootstrap = bootstrap};
    analysis.knees = find_knees(curve.mode, times, knees);
    PredictionOptions predict{.bootstrap = bootstrap, .beyond_cap = options.beyond_cap};
    add_predictions(times, options, predict, analysis);
    analysis.loss = loss_shares(curve, analysis);
    add_decomposition(evidence, members, curve, analysis);
  }
  analysis.warnings = curve_warnings(evidence, members, curve, analysis);
  std::move(of_points.begin(), of_points.end(), std::back_inserter(analysis.warnings));
  return analysis;
}

}  // namespace kneepoint
