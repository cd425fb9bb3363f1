// SPDX-License-Identifier: Apache-2.0
//
// The JSON of every form of `predict`: the answers' structs, described in predict.h; of a study
// also its sentences.
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/cli/predict_text.h"

namespace kneepoint::cli {
namespace {

void put_point(JsonWriter& json, const PredictedK& p) {
  json.begin_object().put("k", p.k).put("time", p.seconds.value);
  json.put("low", p.seconds.low).put("high", p.seconds.high);
  json.put("speedup", p.speedup).put("efficiency", p.efficiency);
  json.put("extrapolated", p.extrapolated).put("measured", p.measured);
  json.key("models").begin_array();
  for (const ModelPrediction& m : p.models) {
    json.begin_object().put("name", m.model).put("delta", m.delta).put("time", m.seconds);
    json.put("low", m.low).put("high", m.high).end_object();
  }
  json.end_array().put("note", p.note).end_object();
}

void put_curve(JsonWriter& json, const CurvePrediction& curve) {
  json.begin_object().put("build", curve.build).put("case", curve.case_name);
  json.put("mode", curve.mode).put("shape", curve.shape_name);
  json.put("k0", curve.k0).put("time0", curve.seconds0);
  json.put("largest_k", curve.largest).put("runs", curve.runs).key("points").begin_array();
  for (const PredictedK& p : curve.points) put_point(json, p);
  json.end_array().put("models", curve.models).put("refused", refusals_of(curve));
  json.put("warnings", warnings_of(curve)).end_object();
}

}  // namespace

std::string predict_json(const PredictAnswer& answer) {
  return json_text(answer);
}

std::string predict_json(const IsoPrediction& answer) {
  return json_text(answer);
}

std::string predict_json(const TrainingAnswer& answer) {
  return json_text(answer);
}

std::string predict_json(const std::vector<UtilisationPoint>& points) {
  JsonWriter json;
  return json.begin_object().put("points", points).end_object().text();
}

std::string predict_json(const StudyPrediction& answer) {
  JsonWriter json;
  json.begin_object().put("study", answer.study).put("level", answer.level);
  json.put("time_unit", answer.relative ? "baseline" : "s").key("curves").begin_array();
  for (const CurvePrediction& curve : answer.curves) put_curve(json, curve);
  json.end_array();
  put_caveats(json, answer.caveats);
  return json.end_object().text();
}

}  // namespace kneepoint::cli
