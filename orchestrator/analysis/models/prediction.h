// SPDX-License-Identifier: Apache-2.0
//
// How long would a run take at a K that was not measured? The interval is the union over all models
// that stay plausible: holding on to the best one alone misses far too often.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/statistics/bootstrap.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

constexpr double kPredictTo = 4;        // times the largest K, unless asked for more
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
                     field("low", &T::low), field("high", &T::high));
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
    return described(one_line, field("k", &T::k), field("time", &T::seconds), field("low", &T::low),
                     field("high", &T::high), field("extrapolated", &T::extrapolated),
                     field("models", &T::models), field("note", &T::note));
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

}  // namespace kneepoint
