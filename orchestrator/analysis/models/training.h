// SPDX-License-Identifier: Apache-2.0
//
// Data-parallel training: what a larger batch buys, how far replicas may go, and how much of the
// machine's peak the model's arithmetic uses. Throughput is not time to a result.
#pragma once

#include <cstdint>
#include <string>

#include "orchestrator/analysis/statistics/require.h"

namespace kneepoint {

// (steps/fewest - 1)(data/least - 1) = 1, with B and B_crit in the same unit.
struct BatchCost {
  double steps = 0;       // over the fewest possible: 1 + B_crit/B
  double data = 0;        // over the least possible: 1 + B/B_crit
  double efficiency = 0;  // least data / data: one half at B = B_crit
};
Result<BatchCost> batch_cost(double batch, double critical_batch);

// Efficiency per useful result: that of samples per second times what larger batches waste.
Result<double> result_efficiency(double sample_efficiency, double k0, double k,
                                 double batch_per_worker, double critical_batch);

// How many replicas keep the global batch within B_crit (in tokens; sequence = 1 for samples).
struct ReplicaCap {
  std::int64_t replicas = 0;  // 0: one replica's batch is already above B_crit
  double batch_of_one = 0;    // micro · accumulation · sequence
};
Result<ReplicaCap> replica_cap(double critical_batch, double micro, double accumulation,
                               double sequence);

// With `gpus` and that cap: replicas first; beyond the cap only splitting the model is left.
struct ParallelPlan {
  std::int64_t replicas = 1, model_ways = 1;
  std::int64_t idle = 0;  // GPUs that fit neither
  double efficiency = 1;  // of the busy ones: 1 / (1 + comm_ratio) once the model is split
  std::string sentence;
};
Result<ParallelPlan> plan_parallelism(std::int64_t gpus, const ReplicaCap& cap,
                                      double model_split_comm_ratio);

Result<double> training_flops(double parameters, double tokens);  // 6·N·tokens
// flops / (T · K · peak). Above 1 is refused: the flops or the peak are wrong.
Result<double> model_flops_utilisation(double flops, double seconds, double k,
                                       double peak_flops_per_worker);
// MFU(K)/MFU(K0): 0.5 at 256 and 0.3 at 2048 mean each GPU does 0.6 of what it did.
Result<double> utilisation_kept(double mfu0, double mfu);

}  // namespace kneepoint
