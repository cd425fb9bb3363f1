// SPDX-License-Identifier: Apache-2.0
//
// Residual bootstrap: new runs around the fitted curve with relative errors drawn from its own, the
// same model fitted again, and one more error for the run that is predicted.
#include "orchestrator/analysis/models/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/base/numbers.h"

namespace kneepoint {

namespace {

// The relative errors of a fit: T = f·ratio. Widened for the terms that were fitted to them.
std::vector<double> error_ratios(const Times& times, const ModelFit& fit) {
  const double runs = count_runs(times);
  const double widen = std::sqrt(runs / (runs - count_terms(fit.terms)));
  std::vector<double> ratios;
  for (const TimesAtK& at : times) {
    const double f = fit.coefficients.at(at.k);
    for (const double t : at.seconds) ratios.push_back(std::exp(widen * std::log(t / f)));
  }
  return ratios;
}

// One vector per K in `ks`: what runs there would have taken, over the replicates.
std::vector<std::vector<double>> simulate(const Times& times, const ModelFit& fit,
                                          const std::vector<int>& ks,
                                          const BootstrapOptions& options) {
  const std::vector<double> ratios = error_ratios(times, fit);
  std::vector<SumsAtK> shape = sums_of(times);
  std::vector<double> curve;
  for (const TimesAtK& at : times) curve.push_back(fit.coefficients.at(at.k));
  std::vector<std::vector<double>> seconds(ks.size(), std::vector<double>(options.replicates));
  for_each_replicate(options, "predict-" + fit.name, [&](int number, Random& random) {
    std::vector<SumsAtK> sums = shape;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const int runs = static_cast<int>(times[i].seconds.size());
      double total = 0, inverse = 0, inverse2 = 0;
      for (int run = 0; run < runs; ++run) {
        const double ratio = ratios[draw(random, ratios.size())];
        total += ratio;
        inverse += 1 / ratio;
        inverse2 += 1 / (ratio * ratio);
      }
      sums[i].mean = curve[i] * total / runs;
      sums[i].inverse = inverse / curve[i];
      sums[i].inverse2 = inverse2 / (curve[i] * curve[i]);
    }
    Fitter fitter;
    const Coefficients c = fitter.fit(sums, fit.terms);
    for (std::size_t j = 0; j < ks.size(); ++j) {
      seconds[j][number] = c.at(ks[j]) * ratios[draw(random, ratios.size())];
    }
  });
  return seconds;
}

void summarise_models(Prediction& p) {
  p.seconds = p.models.front().seconds;
  p.low = p.models.front().low;
  p.high = p.models.front().high;
  double least = p.seconds, most = p.seconds;
  std::string each;
  for (const ModelPrediction& m : p.models) {
    p.low = std::min(p.low, m.low);
    p.high = std::max(p.high, m.high);
    least = std::min(least, m.seconds);
    most = std::max(most, m.seconds);
    each += (each.empty() ? "" : ", ") + number_text(m.seconds) + " s by " + m.model;
  }
  if (most > least * (1 + kModelsDiffer)) {
    p.note = "the runs can't tell these models apart at K=" + std::to_string(p.k) + ": " + each;
  }
}

// None: K may be predicted.
std::optional<RefusedPrediction> refusal_of(int k, const Times& times, const ModelsAnswer& models,
                                            bool beyond_cap) {
  const int largest = times.back().k;
  const std::string what = "K=" + std::to_string(k);
  const std::string measured = " times the largest K measured (" + std::to_string(largest) + ")";
  if (k < 1) return RefusedPrediction{what + " is not a number of workers"};
  if (k > kPredictNeverTo * largest) {
    return RefusedPrediction{what + " is more than 10" + measured + ": no prediction"};
  }
  if ((k < times.front().k || k > largest) && adequate_model(models) == nullptr) {
    return RefusedPrediction{what +
                             " is outside the K measured, and no model is adequate: no prediction"};
  }
  if (k > kPredictTo * largest && !beyond_cap) {
    return RefusedPrediction{
        what + " is more than 4" + measured + ": predicted only when asked for explicitly", true};
  }
  return std::nullopt;
}

}  // namespace

PredictionsAnswer predict_times(const Times& times, const ModelsAnswer& models,
                                const std::vector<int>& ks, const PredictionOptions& options) {
  PredictionsAnswer answer;
  if (models.fits.empty()) {
    answer.refused.push_back({"no model could be fitted: no prediction"});
    return answer;
  }
  std::vector<int> accepted;
  for (const int k : ks) {
    if (const auto refusal = refusal_of(k, times, models, options.beyond_cap)) {
      answer.refused.push_back(*refusal);
      continue;
    }
    accepted.push_back(k);
    answer.predictions.push_back(
        {.k = k, .extrapolated = k < times.front().k || k > times.back().k});
  }
  if (accepted.empty()) return answer;
  for (const ModelFit& fit : models.fits) {
    if (fit.delta > kPlausible) continue;
    auto seconds = simulate(times, fit, accepted, options.bootstrap);
    for (std::size_t j = 0; j < accepted.size(); ++j) {
      const Bounds bounds = percentile_bounds(std::move(seconds[j]), options.level);
      const double predicted = fit.coefficients.at(accepted[j]);
      // Runs without noise leave no width, and rounding would put the prediction outside of it.
      answer.predictions[j].models.push_back({fit.name, fit.delta, predicted,
                                              std::min(bounds.low, predicted),
                                              std::max(bounds.high, predicted)});
    }
  }
  for (Prediction& p : answer.predictions) summarise_models(p);
  return answer;
}

std::optional<ModelIntervals> model_intervals(Mode mode, const Times& times, TermSet terms,
                                              const BootstrapOptions& options) {
  if (fewest_runs(times) < 2) return std::nullopt;
  const auto parameters = [&](const Times& sample, std::span<double> out) {
    Fitter fitter;
    const Coefficients c = fitter.fit(sums_of(sample), terms);
    out[0] = c.one / c.first();
    out[1] = c.log2_k / c.first();
    out[2] = c.k_minus_1 / c.first();
    out[3] = fastest_k(c).value_or(std::numeric_limits<double>::infinity());
  };
  const auto values = joint_bootstrap(times, 4, parameters, options);
  const auto bounds = [&](int column) { return percentile_bounds(values[column], 0.95); };
  ModelIntervals intervals{.log_share = bounds(1), .linear_share = bounds(2)};
  if (mode == Mode::strong) {
    intervals.serial_fraction = bounds(0);
    intervals.fastest_k = bounds(3);
  }
  return intervals;
}

}  // namespace kneepoint
