// SPDX-License-Identifier: Apache-2.0
//
// What `predict` shows: scaling laws with chosen parameters, as values, text and JSON. T(1) = 1; no
// measurement is involved, so no number here has an interval.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/model/shape.h"

namespace kneepoint::cli {

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
};

// The last whole K that keeps E at `floor` or above; `beyond`: it is `to`, and perhaps not the
// last.
struct FloorReach {
  double floor = 0;
  int k = 1;
  bool beyond = false;
};

// Where T is smallest, and what one has there with a whole number of workers.
struct Fastest {
  Optimum at;
  double speedup = 0, efficiency = 0;
};

struct Prediction {
  ScalingLaw law;
  std::optional<double> ceiling;    // strong with s > 0: 1/s
  std::optional<Fastest> fastest;   // strong; none: T falls for ever
  std::array<FloorReach, 2> reach;  // of 0.8 and of 0.5
  std::vector<PredictedPoint> points;
};

struct PredictAnswer {
  Mode mode = Mode::strong;
  int to = 512;
  std::vector<Prediction> predictions;  // by s, then by c
};

// K = 1, 2, 4, ... up to `to`, and `to` itself.
Result<PredictAnswer> predict(const PredictRequest& request);

// A sentence for each combination, in lines of at most `width` columns; then the tables.
std::string predict_text(const PredictAnswer& answer, int width);
std::string predict_json(const PredictAnswer& answer);

}  // namespace kneepoint::cli
