// SPDX-License-Identifier: Apache-2.0
//
// The JSON of every form of `predict`; null stands for what does not exist.
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/cli/json_members.h"
#include "orchestrator/cli/predict_text.h"

namespace kneepoint::cli {

namespace {

const char* word_of(IsoStatus status) {
  switch (status) {
    case IsoStatus::already_met:
      return "any";
    case IsoStatus::unattainable:
      return "unattainable";
    case IsoStatus::grows:
      return "grows";
  }
  return "";
}

void put_work(JsonWriter& json, const char* key, const IsoAnswer& answer) {
  const bool grows = answer.status == IsoStatus::grows;
  put_object(json, key, [&] {
    put_members(json, "status", word_of(answer.status), "work",
                grows ? std::optional(answer.work) : std::nullopt, "per_worker",
                grows ? std::optional(answer.per_worker) : std::nullopt);
  });
}

void put_range(JsonWriter& json, const char* key, const PredictedValue& e) {
  put_object(json, key, [&] { put_members(json, "value", e.value, "low", e.low, "high", e.high); });
}

void put_point(JsonWriter& json, const PredictedK& p) {
  put_members(json, "k", p.k, "time", p.seconds.value, "low", p.seconds.low, "high",
              p.seconds.high);
  put_range(json, "speedup", p.speedup);
  put_range(json, "efficiency", p.efficiency);
  put_members(json, "extrapolated", p.extrapolated, "measured", p.measured);
  put_objects(json, "models", p.models, [&](const ModelPrediction& m) {
    put_members(json, "name", m.model, "delta", m.delta, "time", m.seconds, "low", m.low, "high",
                m.high);
  });
  put_members(json, "note", p.note);
}

}  // namespace

std::string predict_json(const PredictAnswer& answer) {
  JsonWriter json;
  json.begin_object();
  put_members(json, "mode", to_string(answer.mode), "to", answer.to);
  put_objects(json, "predictions", answer.predictions, [&](const LawPrediction& one) {
    put_members(json, "serial", one.law.serial, "log_coefficient", one.law.log_coefficient,
                "ceiling", one.ceiling);
    if (one.fastest) {
      put_object(json, "fastest", [&] {
        const Fastest& best = *one.fastest;
        put_members(json, "k", best.at.k, "k_integer", best.at.k_integer, "k_power_of_two",
                    best.at.k_power_of_two, "speedup", best.speedup, "efficiency", best.efficiency);
      });
    } else {
      json.key("fastest").null();
    }
    put_objects(json, "floors", one.reach, [&](const FloorReach& reach) {
      put_members(json, "floor", reach.floor, "k", reach.k, "beyond", reach.beyond);
    });
    put_objects(json, "points", one.points, [&](const PredictedPoint& p) {
      put_members(json, "k", p.k, "time", p.time, "speedup", p.speedup, "efficiency", p.efficiency,
                  "scaled_speedup", p.scaled_speedup, "ceiling_reached", p.ceiling_reached,
                  "largest_serial", p.largest_serial);
    });
  });
  return json.end_object().text();
}

std::string predict_json(const IsoPrediction& answer) {
  JsonWriter json;
  json.begin_object();
  put_members(json, "efficiency", answer.efficiency, "to", answer.to);
  put_objects(json, "curves", answer.curves, [&](const IsoCurve& curve) {
    const bool linear = curve.law.growth == Growth::linear;
    put_members(json, "serial", curve.law.serial, "growth", linear ? "linear" : "logarithmic",
                "coefficient", curve.law.coefficient);
    put_objects(json, "points", curve.points, [&](const IsoPoint& p) {
      put_members(json, "k", p.k);
      put_work(json, "replicated", p.replicated);
      put_work(json, "fixed_serial", p.fixed_serial);
      put_work(json, "serial_fraction", p.proportional);
    });
  });
  return json.end_object().text();
}

std::string predict_json(const TrainingAnswer& answer) {
  JsonWriter json;
  json.begin_object();
  put_members(json, "critical_batch", answer.request.critical_batch, "batch_of_one_replica",
              answer.cap.batch_of_one, "replicas_allowed", answer.cap.replicas, "comm_ratio",
              answer.request.comm_ratio);
  put_objects(json, "points", answer.points, [&](const TrainingPoint& p) {
    put_members(json, "gpus", p.gpus, "replicas", p.plan.replicas, "model_ways", p.plan.model_ways,
                "idle", p.plan.idle, "batch", p.batch, "steps", p.at_plan.steps, "data",
                p.at_plan.data, "useful", p.efficiency, "useful_all_replicas",
                p.all_replicas.efficiency);
  });
  return json.end_object().text();
}

std::string predict_json(const std::vector<UtilisationPoint>& points) {
  JsonWriter json;
  json.begin_object();
  put_objects(json, "points", points, [&](const UtilisationPoint& p) {
    put_members(json, "k", p.k, "utilisation", p.utilisation, "kept", p.kept, "speedup", p.speedup,
                "cost", p.cost, "tokens_per_second", p.tokens_per_second);
  });
  return json.end_object().text();
}

std::string predict_json(const StudyPrediction& answer) {
  JsonWriter json;
  json.begin_object();
  put_members(json, "study", answer.study, "level", answer.level, "time_unit",
              answer.relative ? "baseline" : "s");
  put_objects(json, "curves", answer.curves, [&](const CurvePrediction& curve) {
    put_members(json, "build", curve.build, "case", curve.case_name, "mode", to_string(curve.mode),
                "shape", curve.shape_name, "k0", curve.k0, "time0", curve.seconds0, "largest_k",
                curve.largest, "runs", curve.runs);
    put_objects(json, "points", curve.points, [&](const PredictedK& p) { put_point(json, p); });
    put_objects(json, "models", curve.models, [&](const ModelOptimum& model) {
      put_members(json, "name", model.model, "weight", model.weight, "fastest_k", model.fastest_k,
                  "fastest_in_range", model.in_range);
    });
    put_members(json, "refused", refusals_of(curve), "warnings", warnings_of(curve));
  });
  put_caveats(json, answer.caveats);
  return json.end_object().text();
}

}  // namespace kneepoint::cli
