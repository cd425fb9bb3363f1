// SPDX-License-Identifier: Apache-2.0
//
// What-ifs of data-parallel training: how far replicas carry before the critical batch, and what a
// falling utilisation means. Pure; analysis/models/training.h holds the formulas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/models/training.h"
#include "orchestrator/cli/predict_flags.h"

namespace kneepoint::cli {

struct TrainingRequest {
  double critical_batch = 0, micro = 1, accumulation = 1, sequence = 1;
  std::vector<int> gpus;
  std::optional<double> comm_ratio;  // of a split model; none: its efficiency is not told
};

struct TrainingPoint {
  int gpus = 1;
  ParallelPlan plan;       // replicas within the critical batch, the model split beyond
  BatchCost at_plan;       // of the batch of those replicas
  BatchCost all_replicas;  // if every GPU were a replica
  // Useful results per GPU: what the batch leaves, times what splitting leaves.
  std::optional<double> efficiency;
};

struct TrainingAnswer {
  TrainingRequest request;
  ReplicaCap cap;
  std::vector<TrainingPoint> points;
};

Result<TrainingAnswer> predict_training(const TrainingRequest& request);
std::string training_text(const TrainingAnswer& answer, int width);
std::string training_json(const TrainingAnswer& answer);

struct UtilisationPoint {
  int k = 1;
  double utilisation = 0;
  double kept = 1;     // of what each GPU did at the smallest K
  double speedup = 1;  // work per second relative to the smallest K
  double cost = 1;     // GPU-time of a result relative to it
  std::optional<double> tokens_per_second;
};

// `at`: utilisation at each K, ascending.
Result<std::vector<UtilisationPoint>> predict_utilisation(const std::vector<AtWorkers>& at);
// The same from rates: 6·parameters flops for each token.
Result<std::vector<UtilisationPoint>> predict_utilisation(const std::vector<AtWorkers>& rates,
                                                          double parameters, double peak);
std::string utilisation_text(const std::vector<UtilisationPoint>& points, int width);
std::string utilisation_json(const std::vector<UtilisationPoint>& points);

}  // namespace kneepoint::cli
