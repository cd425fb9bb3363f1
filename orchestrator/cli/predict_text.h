// SPDX-License-Identifier: Apache-2.0
//
// The answers of `predict` as text and as JSON: the same values in both. The text has sentences
// first, in lines of at most `width` columns, then the tables.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/predict.h"

namespace kneepoint::cli {

std::string predict_text(const PredictAnswer& answer, int width);
std::string predict_text(const IsoPrediction& answer, int width);
std::string predict_text(const TrainingAnswer& answer, int width);
std::string predict_text(const std::vector<UtilisationPoint>& points, int width);
std::string predict_text(const StudyPrediction& answer, int width);

std::string predict_json(const PredictAnswer& answer);
std::string predict_json(const IsoPrediction& answer);
std::string predict_json(const TrainingAnswer& answer);
std::string predict_json(const std::vector<UtilisationPoint>& points);
std::string predict_json(const StudyPrediction& answer);

// Of a study's curve, one sentence each, without the full stop: what has no prediction, and why not
// to believe the rest too readily.
std::vector<std::string> refusals_of(const CurvePrediction& curve);
std::vector<std::string> warnings_of(const CurvePrediction& curve);

}  // namespace kneepoint::cli
