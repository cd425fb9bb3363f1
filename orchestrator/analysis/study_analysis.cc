// SPDX-License-Identifier: Apache-2.0
//
// One curve and all that is computed from its times, then the study: what its curves say together.

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/parts.h"
#include "orchestrator/analysis/study_analysis.h"
#include "orchestrator/base/ensure.h"

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

std::vector<int> prediction_targets(const Times& times) {
  const int largest = times.back().k;
  if (largest > std::numeric_limits<int>::max() / 4) return {};
  return {2 * largest, 4 * largest};
}

// The K measured, thinned out where there are many, and twice the largest if a model may say so.
std::vector<int> band_targets(const Times& times, bool beyond) {
  std::vector<int> ks;
  const std::size_t stride = (times.size() + kMostInBand - 1) / kMostInBand;
  for (std::size_t i = 0; i < times.size(); i += stride) ks.push_back(times[i].k);
  if (ks.back() != times.back().k) ks.push_back(times.back().k);
  if (beyond && ks.back() <= std::numeric_limits<int>::max() / 2) ks.push_back(2 * ks.back());
  return ks;
}

// Predictions asked for, and in the same go those of the band: they share its replicates.
void add_predictions(const Times& times, const BootstrapOptions& bootstrap,
                     CurveAnalysis& analysis) {
  std::vector<int> ks = prediction_targets(times);
  const std::vector<int> band = band_targets(times, adequate_model(analysis.models) != nullptr);
  if (!analysis.models.fits.empty()) ks.insert(ks.end(), band.begin(), band.end());
  analysis.predictions = predict_times(times, analysis.models, ks, {.bootstrap = bootstrap});
  if (analysis.models.fits.empty()) return;
  auto& all = analysis.predictions.predictions;
  const auto first = all.end() - static_cast<std::ptrdiff_t>(band.size());
  analysis.band.assign(first, all.end());
  all.erase(first, all.end());
}

// Very many runs need no 2000 replicates: their intervals are narrow, and the time is the user's.
BootstrapOptions affordable(BootstrapOptions bootstrap, const Times& times) {
  const int affordable = std::max(kFewestReplicates, kDraws / count_runs(times));
  bootstrap.replicates = std::min(bootstrap.replicates, affordable);
  return bootstrap;
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
  const PointSummary* last = curve.largest();
  if (last == nullptr) return;
  const PointSummary& p = *last;
  if (p.point.parallelism >= 1) {
    // In units of what one worker at most does alone, the depth is 1.
    if (const auto depth = work_depth(p.point.parallelism, 1, p.point.k)) {
      analysis.work_depth = *depth;
    }
  }
  const Result<double> intensity = arithmetic_intensity(p.point.flops, p.point.bytes);
  if (!intensity) return;
  analysis.intensity = *intensity;
  const auto machine = machine_at(members, evidence.points[p.index]);
  if (!machine) return;
  if (const auto cores = cores_until_memory_bound(*intensity, *machine)) {
    analysis.cores_until_memory_bound = *cores;
  }
}

// From the last point's breakdown when that is consistent, else from the best model's terms.
void add_loss(const Curve& curve, CurveAnalysis& analysis) {
  const PointSummary* last = curve.largest();
  if (last == nullptr || last->baseline) return;
  const int k = last->point.k;
  const auto& accounting =
      analysis.points[static_cast<std::size_t>(last - curve.points.data())].accounting;
  if (accounting && accounting->consistent) {
    if (accounting->implied_efficiency >= 1) return;
    analysis.loss = LossShares{.basis = "breakdown",
                               .k = k,
                               .imbalance = accounting->balance_share,
                               .communication = accounting->communication_share,
                               .computation = accounting->computation_share};
  } else if (!analysis.models.fits.empty()) {
    analysis.loss = shares_by_model(curve.mode, analysis.models.fits.front(), k);
    analysis.loss_refused = analysis.loss && adequate_model(analysis.models) == nullptr;
    if (analysis.loss_refused) analysis.loss.reset();
  }
}

}  // namespace

std::optional<MainLoss> LossShares::main() const {
  const std::array<double, 4> shares = parts();
  const auto most = std::max_element(shares.begin(), shares.end());
  if (*most <= 0) return std::nullopt;
  return MainLoss{static_cast<LossPart>(most - shares.begin()), *most};
}

std::optional<TurningPoint> turning_point(const Curve& curve, const CurveAnalysis& analysis) {
  using Basis = TurningPoint::Basis;
  const PointSummary* last = curve.largest();
  if (curve.mode != Mode::strong || last == nullptr) return std::nullopt;
  std::optional<TurningPoint> by_model;
  if (!analysis.models.fits.empty()) {
    const ModelFit& best = analysis.models.fits.front();
    const int largest = last->point.k;
    if (best.fastest_k && best.fastest_in_range) {
      by_model = TurningPoint{Basis::model, *best.fastest_k, best.name};
    } else if (best.fastest_k && *best.fastest_k > largest &&
               *best.fastest_k <= kPredictTo * largest) {
      by_model = TurningPoint{Basis::extrapolated, *best.fastest_k, best.name};
    }
    if (adequate_model(analysis.models) != nullptr) return by_model;
  }
  for (const Knee& knee : analysis.knees.knees) {
    if (knee.decides(KneeRule::min_time, 0) && knee.is_measured() && knee.k) {
      return TurningPoint{Basis::runs, *knee.k, ""};
    }
  }
  if (by_model) by_model->basis = Basis::refused;
  return by_model;
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
      of_points.push_back({WarningCode::fewer_replicates,
                           std::to_string(count_runs(times)) +
                               " runs: intervals of the curve rest on " +
                               std::to_string(bootstrap.replicates) + " instead of " +
                               std::to_string(options.bootstrap.replicates) + " replicates"});
    }
    analysis.models = fit_models(curve.mode, times);
    if (!analysis.models.fits.empty()) {
      analysis.best_intervals =
          model_intervals(curve.mode, times, analysis.models.fits.front().terms, bootstrap);
    }
    KneeOptions knees{.floors = floors_of(evidence.knee_floor), .bootstrap = bootstrap};
    analysis.knees = find_knees(curve.mode, times, knees);
    add_predictions(times, bootstrap, analysis);
    add_loss(curve, analysis);
    add_decomposition(evidence, members, curve, analysis);
  }
  analysis.warnings = curve_warnings(evidence, members, curve, analysis);
  std::move(of_points.begin(), of_points.end(), std::back_inserter(analysis.warnings));
  return analysis;
}
namespace {

// A weak curve alone can't give the serial fraction: its strong sibling's best model does.
void add_scaled_speedups(StudyAnalysis& study) {
  for (std::size_t w = 0; w < study.curves.size(); ++w) {
    const Curve& weak = study.summary.curves[w];
    if (weak.mode != Mode::weak) continue;
    for (std::size_t s = 0; s < study.curves.size(); ++s) {
      const Curve& strong = study.summary.curves[s];
      if (strong.mode != Mode::strong || !strong.is_same_case(weak)) continue;
      const ModelFit* best = adequate_model(study.curves[s].models);
      if (best == nullptr) continue;
      if (best->serial_fraction)
        add_gustafson(weak, *best->serial_fraction, study.curves[w].points);
      break;
    }
  }
}

// Runs of one allocation share more than their nodes, so that shuffling them proves nothing.
BadNodeVerdict look_for_bad_nodes(const StudyEvidence& evidence, const QueueUse& queue,
                                  std::uint64_t seed) {
  if (queue.packed) {
    BadNodeVerdict verdict;
    verdict.why_not =
        "runs were packed: the steps of an allocation are on nested nodes, so that a node can't be "
        "told from its allocation; one job per run can tell";
    return verdict;
  }
  BadNodeOptions options;
  options.seed = seed;
  return find_bad_nodes(evidence, options);
}

void add_queue(const StudyEvidence& evidence, std::uint64_t seed, StudyAnalysis& study) {
  study.queue = queue_use(evidence);
  if (!study.queue) return;
  study.bad_nodes = look_for_bad_nodes(evidence, *study.queue, seed);
  if (!study.bad_nodes->bad.empty()) {
    study.warnings.push_back({WarningCode::bad_node, to_sentence(*study.bad_nodes)});
  }
}

}  // namespace

StudyAnalysis analyse(const StudyEvidence& evidence, const AnalysisOptions& options) {
  StudyAnalysis study;
  study.summary = summarise(evidence);
  AnalysisOptions seeded = options;
  if (seeded.bootstrap.seed == 0) seeded.bootstrap.seed = evidence.seed;
  const std::vector<CurveMembers> members = group_curves(evidence);
  ENSURE(members.size() == study.summary.curves.size(), "one summary for each curve");
  study.curves.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    study.curves.push_back(analyse_curve(evidence, members[i], study.summary.curves[i], seeded));
  }
  add_scaled_speedups(study);
  study.shapes = contests(evidence, study.warnings);
  study.collectives = collective_answers(evidence, study.warnings);
  study.builds = compare_builds(evidence, options.builds);
  add_queue(evidence, seeded.bootstrap.seed, study);
  if (evidence.points.empty()) {
    study.warnings.push_back(
        {WarningCode::no_points, "the study has no points: nothing is computed"});
  }
  return study;
}

}  // namespace kneepoint
