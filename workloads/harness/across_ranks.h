// SPDX-License-Identifier: Apache-2.0
//
// What several workloads compute over all ranks after the timed iterations: times of a sweep, and
// whether a training step was right.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "agents/wire/record.h"
#include "workloads/numerics/split.h"

namespace kneepoint::workloads {

// `history` has a row for each timed iteration. Of each column: the slowest rank, then the median
// over the iterations. Collective; empty but on rank 0.
std::vector<double> slowest_medians(MPI_Comm comm, const std::vector<std::vector<double>>& history);

// What the seed's streams of a training workload are for.
enum TrainingStream : std::uint64_t { kWeights, kInputs, kTargets };

// `width` numbers for each sample of the range.
std::vector<float> training_samples(std::uint64_t seed, std::uint64_t stream, Range range,
                                    std::int64_t width);

// Largest difference, relative to the largest expected value.
double relative_deviation(const std::vector<double>& expected, const std::vector<float>& found);

// A data-parallel training step, as it stands after the last iteration.
struct TrainingStep {
  double batch;
  double rate;
  std::vector<float> parameters;               // of this rank
  std::vector<float> gradient;                 // summed over the batch
  std::function<void(double length)> move;     // the parameters, along the mean gradient
  std::function<double()> mean_loss;           // collective
  std::function<double()> deviation_of_slice;  // of its gradient from a plain recomputation; last
};
// Parameters must be the same bits on all ranks. The gradient g must be the slope of the global
// loss where it was taken: the loss changes by g.g per unit of a move along g. Collective.
record::Check check_training(MPI_Comm comm, const TrainingStep& step);

}  // namespace kneepoint::workloads
