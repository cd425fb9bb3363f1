// SPDX-License-Identifier: Apache-2.0
//
// The form with a study. A curve whose runs no model explains gives no numbers, but its reason.
#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/analysis/curves.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/study/predict.h"
#include "orchestrator/model/provenance.h"

namespace kneepoint {
namespace {

using Why = PredictionRefusal::Why;

// An interval is of one run: beyond this many at a K, more of them only cost time to resample.
constexpr std::size_t kMostResampled = 1000;

// The same spread with fewer runs: evenly spaced order statistics of each K.
Times thinned(Times times) {
  for (TimesAtK& at : times) {
    const std::size_t runs = at.seconds.size();
    if (runs <= kMostResampled) continue;
    std::ranges::sort(at.seconds);
    for (std::size_t i = 0; i < kMostResampled; ++i) {
      at.seconds[i] = at.seconds[i * (runs - 1) / (kMostResampled - 1)];
    }
    at.seconds.resize(kMostResampled);
  }
  return times;
}

struct CurveRuns {
  Times times;
  std::set<std::string> provenance;
};

CurveRuns runs_of(const StudyEvidence& evidence, const CurveMembers& curve) {
  CurveRuns out;
  for (const int index : curve.points) {
    const PointEvidence& at = evidence.points[index];
    TimesAtK& times = out.times.emplace_back();
    times.k = at.point.k;
    for (const RunEvidence& run : at.runs) {
      if (!counts(run)) continue;
      times.seconds.push_back(run.seconds);
      out.provenance.insert(run.provenance);
    }
  }
  return out;
}

// S and E from T: a longer time is a lower speedup.
PredictedValue over(double numerator, const PredictedValue& seconds) {
  return {numerator / seconds.value, numerator / seconds.high, numerator / seconds.low};
}

PredictedK point_of(const Prediction& from, const CurvePrediction& curve, const Times& times) {
  PredictedK point;
  point.k = from.k;
  point.seconds = {from.seconds, from.low, from.high};
  const double growth = static_cast<double>(from.k) / curve.k0;
  const bool weak = curve.mode == Mode::weak;
  point.speedup = over(curve.seconds0 * (weak ? growth : 1), point.seconds);
  point.efficiency = over(curve.seconds0 / (weak ? 1 : growth), point.seconds);
  point.extrapolated = from.extrapolated;
  for (const ModelPrediction& model : from.models) point.models.push_back({model});
  point.note = from.note;
  for (const TimesAtK& at : times) {
    if (at.k == from.k) point.measured = median_seconds(at);
  }
  return point;
}

// `refusal`, and which K to add.
PredictionRefusal with_advice(PredictionRefusal refusal, const ModelsAnswer& models) {
  for (const NotFitted& one : models.not_fitted) {
    if (one.add_k.empty()) continue;
    refusal.allows = one.name;
    refusal.add_k = one.add_k;
    break;
  }
  return refusal;
}

void predict_curve(const StudyEvidence& evidence, const StudyPredictRequest& request,
                   CurveRuns runs, CurvePrediction& out) {
  if (runs.provenance.size() > 1) {
    out.refused.push_back({Why::provenance, *runs.provenance.begin(), *runs.provenance.rbegin()});
    return;
  }
  auto sorted = ordered(std::move(runs.times));
  if (!sorted) {
    out.refused.push_back({Why::analysis, sorted.error().message});
    return;
  }
  const Times& times = *sorted;
  out.k0 = times.front().k;
  out.largest = times.back().k;
  out.runs = count_runs(times);
  out.seconds0 = median_seconds(times.front());
  const ModelsAnswer models = fit_models(out.mode, times);
  if (models.fits.empty()) {
    out.refused.push_back(with_advice({Why::no_model}, models));
    return;
  }
  const ModelFit& best = models.fits.front();
  out.missed = best.missed;
  const Adequacy found = adequacy(models);
  if (found == Adequacy::misfit) {
    out.refused.push_back(with_advice({Why::misfit, best.name, "", out.missed}, models));
    return;
  }
  out.lacks_fit = found == Adequacy::lack_of_fit;
  for (const ModelFit& fit : models.fits) {
    if (fit.delta > kPlausible) continue;
    out.models.push_back({fit.name, fit.weight, fit.fastest_k, fit.fastest_in_range});
  }
  PredictionOptions options;
  options.beyond_cap = request.beyond;
  options.bootstrap.seed = evidence.seed;
  const std::vector<int> to =
      request.to.empty() ? std::vector<int>{2 * out.largest, 4 * out.largest} : request.to;
  const PredictionsAnswer answer = predict_times(thinned(times), models, to, options);
  for (const Prediction& p : answer.predictions) {
    out.points.push_back(point_of(p, out, times));
  }
  for (const RefusedPrediction& one : answer.refused) {
    out.refused.push_back({.what = one.why, .with_beyond = one.only_when_asked});
  }
}

std::string known_curves(const StudyEvidence& evidence) {
  std::string text;
  std::set<std::string> seen;
  for (const PointEvidence& at : evidence.points) {
    const std::string name = at.point.case_name + " " + to_string(at.point.mode);
    if (seen.insert(name).second) text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

bool has_stand_in(const StudyEvidence& evidence) {
  const auto is_one = [](const RunEvidence& run) { return is_stand_in(run.provenance); };
  return std::ranges::any_of(
      evidence.points, [&](const auto& point) { return std::ranges::any_of(point.runs, is_one); });
}

}  // namespace

bool StudyPrediction::any() const {
  return std::ranges::any_of(curves,
                             [](const CurvePrediction& curve) { return !curve.points.empty(); });
}

Result<StudyPrediction> predict_study(const StudyEvidence& evidence,
                                      const StudyPredictRequest& request) {
  StudyPrediction answer;
  answer.study = evidence.id;
  answer.caveats = evidence.caveats;
  answer.relative = is_relative(evidence);
  if (has_stand_in(evidence)) {
    answer.caveats.push_back({"stand_in", std::string("the study ") + kStandInCaveat});
  }
  answer.level = PredictionOptions{}.level;
  for (const CurveMembers& members : group_curves(evidence)) {
    if (request.mode && members.mode != *request.mode) continue;
    if (!request.case_name.empty() && members.case_name != request.case_name) continue;
    CurvePrediction& curve = answer.curves.emplace_back();
    curve.build = members.build;
    curve.case_name = members.case_name;
    curve.shape_name = members.shape_name;
    curve.mode = members.mode;
    predict_curve(evidence, request, runs_of(evidence, members), curve);
  }
  if (!answer.curves.empty()) return answer;
  return Error{ErrorCode::not_found,
               evidence.id + " has no such curve; it has: " + known_curves(evidence)};
}

Result<StudyPrediction> predict_study(const Context& context, const StudyPredictRequest& request) {
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, request.study));
  TRY_ASSIGN(const StudyEvidence evidence, store->evidence(row.row));
  return predict_study(evidence, request);
}

}  // namespace kneepoint
