// SPDX-License-Identifier: Apache-2.0
//
// Untimed, so plain loops do.
#include "workloads/harness/across_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "orchestrator/base/hash.h"
#include "workloads/numerics/counter_random.h"

namespace kneepoint::workloads {

std::vector<double> slowest_medians(MPI_Comm comm,
                                    const std::vector<std::vector<double>>& history) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::size_t columns = history.front().size();
  std::vector<double> mine, slowest(history.size() * columns);
  for (const auto& row : history) mine.insert(mine.end(), row.begin(), row.end());
  MPI_Reduce(mine.data(), slowest.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX, 0,
             comm);
  std::vector<double> medians;
  for (std::size_t c = 0; rank == 0 && c < columns; ++c) {
    std::vector<double> column;
    for (std::size_t i = 0; i < history.size(); ++i) column.push_back(slowest[i * columns + c]);
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
    std::nth_element(column.begin(), middle, column.end());
    medians.push_back(*middle);
  }
  return medians;
}

std::vector<float> training_samples(std::uint64_t seed, std::uint64_t stream, Range range,
                                    std::int64_t width) {
  std::vector<float> values(static_cast<std::size_t>(range.size() * width));
  const auto first = static_cast<std::uint64_t>(range.begin * width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = hashed_uniform(seed, stream, first + i);
  }
  return values;
}

double relative_deviation(const std::vector<double>& expected, const std::vector<float>& found) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - static_cast<double>(found[i])));
  }
  return largest > 0 ? difference / largest : difference;
}

record::Check check_training(MPI_Comm comm, const TrainingStep& step) {
  const std::uint64_t hash = fnv1a64({reinterpret_cast<const char*>(step.parameters.data()),
                                      step.parameters.size() * sizeof(float)});
  const std::uint64_t ends[2] = {hash, ~hash};
  std::uint64_t most[2] = {0, 0};
  MPI_Allreduce(ends, most, 2, MPI_UINT64_T, MPI_MAX, comm);
  const bool same = most[0] == ~most[1];

  step.move(step.rate);
  double slope = 0;
  for (const float g : step.gradient) slope += static_cast<double>(g) * static_cast<double>(g);
  slope /= step.batch * step.batch;
  const double here = step.mean_loss();
  const double length = slope > 0 ? 0.01 * here / slope : 1;
  step.move(length);
  const double ahead = step.mean_loss();
  step.move(-2 * length);
  const double behind = step.mean_loss();
  step.move(length - step.rate);
  const double measured = (ahead - behind) / (2 * length);
  const double deviation = slope > 0 ? std::abs(measured / slope - 1) : std::abs(measured);

  const double slice = step.deviation_of_slice();
  char detail[240];
  std::snprintf(detail, sizeof detail,
                "parameters %s on all ranks; gradient deviates from the loss's slope by %.2g "
                "(allowed 0.05) and from a plain recomputation by %.2g (allowed 0.001)",
                same ? "equal" : "DIFFER", deviation, slice);
  return {same && deviation <= 0.05 && slice <= 1e-3, detail};
}

}  // namespace kneepoint::workloads
