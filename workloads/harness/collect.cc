// SPDX-License-Identifier: Apache-2.0
//
// Reductions and gathers of the harness. MPI errors are fatal by MPI's own default.
#include "workloads/harness/collect.h"

#include <cstdint>
#include <string>

#include "workloads/harness/timers.h"

namespace kneepoint::workloads {
namespace {

constexpr Nanoseconds kNap = 100 * kMicrosecond;

void wait(MPI_Request request, bool polite) {
  if (!polite) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    sleep_until(system_clock().steady() + kNap);
  }
}

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto count = static_cast<std::size_t>(rank == 0 ? ranks : 0);
  std::vector<int> lengths(count), begins(count);
  const int length = static_cast<int>(mine.size());
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  int total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    begins[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0,
              comm);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

}  // namespace

void meet(MPI_Comm comm, bool polite) {
  if (!polite) {
    MPI_Barrier(comm);
    return;
  }
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  wait(request, polite);
}

int told_by_rank_0(MPI_Comm comm, int value, bool polite) {
  MPI_Request request;
  MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
  wait(request, polite);
  return value;
}

record::Sample combine(MPI_Comm comm, Nanoseconds total, const Timers& timers, bool polite) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const std::int64_t extremes[2] = {total, -total};
  const std::int64_t parts[3] = {total, timers.compute_ns(), timers.communication_ns()};
  std::int64_t most[2] = {0, 0};
  std::int64_t sums[3] = {0, 0, 0};
  MPI_Request request;
  MPI_Ireduce(extremes, most, 2, MPI_INT64_T, MPI_MAX, 0, comm, &request);
  wait(request, polite);
  MPI_Ireduce(parts, sums, 3, MPI_INT64_T, MPI_SUM, 0, comm, &request);
  wait(request, polite);

  record::Sample sample;
  sample.max_ns = most[0];
  sample.min_ns = -most[1];
  sample.mean_ns = sums[0] / ranks;
  sample.compute_ns = sums[1] / ranks;
  sample.communication_ns = sums[2] / ranks;
  sample.other_ns = sample.mean_ns - sample.compute_ns - sample.communication_ns;
  return sample;
}

std::vector<record::RankTotal> gather_totals(MPI_Comm comm, const record::RankTotal& mine) {
  const auto hosts = gather_texts(comm, mine.host);
  const auto cpus = gather_texts(comm, mine.cpus);
  const std::int64_t times[2] = {mine.compute_ns, mine.communication_ns};
  std::vector<std::int64_t> all_times(hosts.size() * 2);
  std::vector<double> work(hosts.size());
  MPI_Gather(times, 2, MPI_INT64_T, all_times.data(), 2, MPI_INT64_T, 0, comm);
  MPI_Gather(&mine.work, 1, MPI_DOUBLE, work.data(), 1, MPI_DOUBLE, 0, comm);
  std::vector<record::RankTotal> totals;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    totals.push_back(
        {static_cast<int>(i), hosts[i], cpus[i], all_times[2 * i], all_times[2 * i + 1], work[i]});
  }
  return totals;
}

}  // namespace kneepoint::workloads
