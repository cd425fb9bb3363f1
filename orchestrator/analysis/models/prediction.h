// SPDX-License-Identifier: Apache-2.0
//
// How long would a run take at a K that was not measured? The interval is the union over all models
// that stay plausible: holding on to the best one alone misses far too often.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

constexpr double kPredictNeverTo = 10;  // times the largest K: refused beyond
constexpr double kModelsDiffer = 0.02;  // of T: plausible models further apart are said

struct PredictionOptions {
  BootstrapOptions bootstrap;
  double level = 0.90;
  bool beyond_cap = false;  // the user asked for K up to kPredictNeverTo
};

struct ModelPrediction {
  std::string model;
  double delta = 0;  // AICc
  double seconds = 0, low = 0, high = 0;
  static constexpr auto fields() {
    using T = ModelPrediction;
    return described(one_line, field("name", &T::model), field("time", &T::seconds),
                     KP_NAMED(low, high));
  }
};

struct Prediction {
  int k = 1;
  double seconds = 0;                   // by the best model
  double low = 0, high = 0;             // of one run, union over `models`
  bool extrapolated = false;            // outside the K measured
  std::vector<ModelPrediction> models;  // plausible ones, best first
  std::string note;                     // what the models say where they differ; else empty
  static constexpr auto fields() {
    using T = Prediction;
    return described(one_line, field("k", &T::k), field("time", &T::seconds),
                     KP_NAMED(low, high, extrapolated, models, note));
  }
};

// Why there is no prediction, in a sentence for one K or for all.
struct RefusedPrediction {
  std::string why;
  bool only_when_asked = false;  // PredictionOptions::beyond_cap would answer it
};

struct PredictionsAnswer {
  std::vector<Prediction> predictions;
  std::vector<RefusedPrediction> refused;
};

PredictionsAnswer predict_times(const Times& times, const ModelsAnswer& models,
                                const std::vector<int>& ks, const PredictionOptions& options = {});

// ---- How sure are a model's parameters? 95% intervals by the joint bootstrap, that model held
// fixed: they say nothing about whether it is the right one.

struct ModelIntervals {
  std::optional<Bounds> serial_fraction;  // strong only
  Bounds log_share, linear_share;         // c/T(1) and d/T(1)
  std::optional<Bounds> fastest_k;        // strong only; infinity: falls for ever
  KP_DESCRIBED(ModelIntervals, serial_fraction, log_share, linear_share, fastest_k);
};

// None when a K has one run only.
std::optional<ModelIntervals> model_intervals(Mode mode, const Times& times, TermSet terms,
                                              const BootstrapOptions& options = {});

}  // namespace kneepoint
