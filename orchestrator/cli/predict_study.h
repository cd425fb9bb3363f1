// SPDX-License-Identifier: Apache-2.0
//
// What a study's runs say of K that were not measured: by every model that they leave plausible,
// with the interval over all of them. Pure; analysis/models/prediction.h holds the method.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/models/prediction.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint::cli {

struct StudyPredictRequest {
  std::vector<int> to;       // empty: 2 and 4 times the largest K measured
  bool beyond = false;       // up to 10 times instead of 4
  std::optional<Mode> mode;  // none: all
  std::string case_name;     // "": all
};

struct PredictedValue {
  double value = 0, low = 0, high = 0;
};

struct PredictedK {
  int k = 1;
  PredictedValue seconds, speedup, efficiency;  // relative to the smallest K measured
  bool extrapolated = false;
  std::optional<double> measured;  // median T, where K was measured
  std::vector<ModelPrediction> models;
  std::string note;  // where the models differ
};

struct ModelOptimum {
  std::string model;
  double weight = 0;
  std::optional<double> fastest_k;  // none: T falls for ever
  bool in_range = false;            // within the K measured
};

struct CurvePrediction {
  std::string build, case_name, shape_name;
  Mode mode = Mode::strong;
  int k0 = 1, largest = 1, runs = 0;
  double seconds0 = 0;  // median at k0
  std::vector<PredictedK> points;
  std::vector<ModelOptimum> models;  // plausible ones, best first
  std::vector<std::string> refused;  // K, or the curve as a whole
  std::vector<std::string> notes;    // why not to believe the rest too readily
};

struct StudyPrediction {
  std::string study;
  std::vector<Caveat> caveats;
  double level = 0.90;
  std::vector<CurvePrediction> curves;
};

// The error: no curve of the study is the one asked for.
Result<StudyPrediction> predict_study(const StudyEvidence& evidence,
                                      const StudyPredictRequest& request);

std::string study_prediction_text(const StudyPrediction& answer, int width);
std::string study_prediction_json(const StudyPrediction& answer);

}  // namespace kneepoint::cli
