// SPDX-License-Identifier: Apache-2.0
//
// What `predict` answers: what more workers would bring, from a scaling law with given parameters,
// from a study's runs, or from what is known of a training job. Values in, values out; only what
// comes from runs has intervals.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/models/models.h"
#include "orchestrator/analysis/models/prediction.h"
#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

// --- A scaling law with given parameters; T(1) = 1.

struct PredictRequest {
  std::vector<double> serials, log_coefficients;  // every s with every c
  Mode mode = Mode::strong;
  int to = 512;  // the last K
};

struct PredictedPoint {
  int k = 1;
  double time = 0, speedup = 0, efficiency = 0;  // weak: speedup is K·E, results per second
  std::optional<double> scaled_speedup;          // weak: Gustafson's
  std::optional<double> ceiling_reached;         // strong with s > 0: S·s
  std::optional<double> largest_serial;          // strong: keeps E at 0.8; none: no s does
  KP_DESCRIBED(PredictedPoint, k, time, speedup, efficiency, scaled_speedup, ceiling_reached,
               largest_serial);
};

// The last whole K that keeps E at `floor` or above; `beyond`: it is `to`, and perhaps not the
// last.
struct FloorReach {
  double floor = 0;
  int k = 1;
  bool beyond = false;
  KP_DESCRIBED(FloorReach, floor, k, beyond);
};

// Where T is smallest, and what one has there with a whole number of workers.
struct Fastest {
  Optimum at;
  double speedup = 0, efficiency = 0;
  static constexpr auto fields() {
    using T = Fastest;
    return described(fields_of(&T::at), KP_NAMED(speedup, efficiency));
  }
};

struct LawPrediction {
  ScalingLaw law;
  std::optional<double> ceiling;    // strong with s > 0: 1/s
  std::optional<Fastest> fastest;   // strong; none: T falls for ever
  std::array<FloorReach, 2> reach;  // of 0.8 and of 0.5
  std::vector<PredictedPoint> points;
  static constexpr auto fields() {
    using T = LawPrediction;
    return described(field("serial", [](const T& p) { return p.law.serial; }),
                     field("log_coefficient", [](const T& p) { return p.law.log_coefficient; }),
                     KP_NAMED(ceiling, fastest), field("floors", &T::reach),
                     field("points", &T::points));
  }
};

struct PredictAnswer {
  Mode mode = Mode::strong;
  int to = 512;
  std::vector<LawPrediction> predictions;  // by s, then by c
  KP_DESCRIBED(PredictAnswer, mode, to, predictions);
};

// K = 1, 2, 4, ... up to `to`, and `to` itself.
Result<PredictAnswer> predict(const PredictRequest& request);

// --- How the work must grow to hold an efficiency; scaling_laws.h holds the three forms.

struct IsoLaw {
  double serial = 0, coefficient = 0;
  Growth growth = Growth::logarithmic;
  KP_DESCRIBED(IsoLaw, serial, growth, coefficient);
};

struct IsoPoint {
  int k = 1;
  IsoAnswer replicated, fixed_serial, proportional;
  static constexpr auto fields() {
    using T = IsoPoint;
    return described(KP_NAMED(k, replicated, fixed_serial),
                     field("serial_fraction", &T::proportional));
  }
};

struct IsoCurve {
  IsoLaw law;
  std::vector<IsoPoint> points;  // K = 2, 4, 8, ... and the last
  static constexpr auto fields() {
    using T = IsoCurve;
    return described(fields_of(&T::law), field("points", &T::points));
  }
};

struct IsoPrediction {
  double efficiency = 0.8;
  int to = 512;
  std::vector<IsoCurve> curves;
  KP_DESCRIBED(IsoPrediction, efficiency, to, curves);
};

Result<IsoPrediction> predict_iso(double efficiency, int to, const std::vector<IsoLaw>& laws);

// --- Data-parallel training: how far replicas carry before the critical batch.

struct TrainingRequest {
  double critical_batch = 0, micro = 1, accumulation = 1, sequence = 1;
  std::vector<int> gpus;
  std::optional<double> comm_ratio;  // of a split model; none: its efficiency is not told
};

struct TrainingPoint {
  int gpus = 1;
  ParallelPlan plan;       // replicas within the critical batch, the model split beyond
  double batch = 0;        // of those replicas
  BatchCost at_plan;       // of that batch
  BatchCost all_replicas;  // if every GPU were a replica
  // Useful results per GPU: what the batch leaves, times what splitting leaves.
  std::optional<double> efficiency;
  static constexpr auto fields() {
    using T = TrainingPoint;
    return described(
        field("gpus", &T::gpus), field("replicas", [](const T& p) { return p.plan.replicas; }),
        field("model_ways", [](const T& p) { return p.plan.model_ways; }),
        field("idle", [](const T& p) { return p.plan.idle; }), field("batch", &T::batch),
        field("steps", [](const T& p) { return p.at_plan.steps; }),
        field("data", [](const T& p) { return p.at_plan.data; }), field("useful", &T::efficiency),
        field("useful_all_replicas", [](const T& p) { return p.all_replicas.efficiency; }));
  }
};

struct TrainingAnswer {
  TrainingRequest request;
  ReplicaCap cap;
  std::vector<TrainingPoint> points;
  static constexpr auto fields() {
    using T = TrainingAnswer;
    return described(field("critical_batch", [](const T& p) { return p.request.critical_batch; }),
                     field("batch_of_one_replica", [](const T& p) { return p.cap.batch_of_one; }),
                     field("replicas_allowed", [](const T& p) { return p.cap.replicas; }),
                     field("comm_ratio", [](const T& p) { return p.request.comm_ratio; }),
                     field("points", &T::points));
  }
};

Result<TrainingAnswer> predict_training(const TrainingRequest& request);

// --- What a falling utilisation means.

struct AtWorkers {
  int k = 1;
  double value = 0;
};

struct UtilisationPoint {
  int k = 1;
  double utilisation = 0;
  double kept = 1;     // of what each GPU did at the smallest K
  double speedup = 1;  // work per second relative to the smallest K
  double cost = 1;     // GPU-time of a result relative to it
  std::optional<double> tokens_per_second;
  KP_DESCRIBED(UtilisationPoint, k, utilisation, kept, speedup, cost, tokens_per_second);
};

struct UtilisationAnswer {
  std::vector<UtilisationPoint> points;
  static constexpr auto fields() { return described(field("points", &UtilisationAnswer::points)); }
};

// `at`: utilisation at each K, ascending.
Result<UtilisationAnswer> predict_utilisation(const std::vector<AtWorkers>& at);
// The same from rates: 6·parameters flops for each token.
Result<UtilisationAnswer> predict_utilisation(const std::vector<AtWorkers>& rates,
                                              double parameters, double peak);

// --- A study's runs at K that were not measured: by every model that they leave plausible, with
// the interval over all of them; analysis/models/prediction.h holds the method.

struct StudyPredictRequest {
  std::vector<int> to;       // empty: 2 and 4 times the largest K measured
  bool beyond = false;       // up to 10 times instead of 4
  std::optional<Mode> mode;  // none: all
  std::string case_name;     // "": all
  std::string study = {};    // as typed; "": the newest
};

struct PredictedValue {
  double value = 0, low = 0, high = 0;
  KP_DESCRIBED(PredictedValue, value, low, high);
};

struct PlausibleModel : ModelPrediction {
  static constexpr auto fields() {
    using T = PlausibleModel;
    return described(field("name", &T::model), field("delta", &T::delta),
                     field("time", &T::seconds), KP_NAMED(low, high));
  }
};

struct PredictedK {
  int k = 1;
  PredictedValue seconds, speedup, efficiency;  // relative to the smallest K measured
  bool extrapolated = false;
  std::optional<double> measured;  // median T, where K was measured
  std::vector<PlausibleModel> models;
  std::string note;  // where the models differ
  static constexpr auto fields() {
    using T = PredictedK;
    return described(field("k", &T::k), field("time", [](const T& p) { return p.seconds.value; }),
                     field("low", [](const T& p) { return p.seconds.low; }),
                     field("high", [](const T& p) { return p.seconds.high; }),
                     KP_NAMED(speedup, efficiency, extrapolated, measured, models, note));
  }
};

struct ModelOptimum {
  std::string model;
  double weight = 0;
  std::optional<double> fastest_k;  // none: T falls for ever
  bool in_range = false;            // within the K measured
  static constexpr auto fields() {
    using T = ModelOptimum;
    return described(field("name", &T::model), KP_NAMED(weight, fastest_k),
                     field("fastest_in_range", &T::in_range));
  }
};

// Why a K, or the curve as a whole, has no prediction.
struct PredictionRefusal {
  enum class Why {
    analysis,    // `what` is the sentence of the analysis
    provenance,  // the runs differ in it; `what` and `other` are two of them
    no_model,    // `allows` is what measuring `add_k` as well would allow
    misfit,      // the same, and `what` is the best model, which misses the runs by `missed`
  };
  Why why = Why::analysis;
  std::string what, other;
  double missed = 0;
  std::string allows;
  std::vector<int> add_k;
  bool with_beyond = false;  // StudyPredictRequest::beyond would answer it
};

struct CurvePrediction {
  std::string build, case_name, shape_name;
  Mode mode = Mode::strong;
  int k0 = 1, largest = 1, runs = 0;
  double seconds0 = 0;  // median at k0
  std::vector<PredictedK> points;
  std::vector<ModelOptimum> models;  // plausible ones, best first
  double missed = 0;                 // relative error of the best model, root mean square
  bool lacks_fit = false;            // it misses by more than the runs' own scatter explains
  std::vector<PredictionRefusal> refused;
  static constexpr auto fields() {  // but for what was refused
    using T = CurvePrediction;
    return described(field("build", &T::build), field("case", &T::case_name),
                     field("mode", &T::mode), field("shape", &T::shape_name), field("k0", &T::k0),
                     field("time0", &T::seconds0), field("largest_k", &T::largest),
                     field("runs", &T::runs), field("points", &T::points),
                     field("models", &T::models));
  }
};

struct StudyPrediction {
  std::string study;
  std::vector<Caveat> caveats;
  double level = 0.90;
  bool relative = false;  // T in units of the baseline's time: a table of speedups has no seconds
  std::vector<CurvePrediction> curves;

  bool any() const;  // some K of a curve has a prediction
};

// The error: no curve of the study is the one asked for.
Result<StudyPrediction> predict_study(const StudyEvidence& evidence,
                                      const StudyPredictRequest& request);
Result<StudyPrediction> predict_study(const Context& context, const StudyPredictRequest& request);

}  // namespace kneepoint
