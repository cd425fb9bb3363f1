// SPDX-License-Identifier: Apache-2.0
//
// How to cut a number of nodes into partitions for a mix of workloads, and at which K to run each:
// the most results for the money such that wait + run keeps every deadline for the share of jobs
// asked for. Pure: waits come from analysis/queueing/simulation, whose assumptions hold here too.
// docs/methods.md says how the search goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/queueing/simulation.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

// One K at which a workload can run.
struct SizingOption {
  int k = 1;
  int nodes = 1;                // that a job holds, whole
  double seconds = 0;           // of a job that makes one result
  std::vector<double> times;    // of the runs behind it, brought to one result
  bool modelled = false;        // not measured
  std::int64_t job_micros = 0;  // what a job is billed
};

struct SizingWorkload {
  std::string name;
  Mode mode = Mode::strong;
  double per_hour = 0;  // results wanted, each by one job
  bool periodic = false;
  double spread = 0;
  double value = 1;                        // of a result
  std::optional<double> deadline_seconds;  // of wait + run
  double in_time = 0.95;                   // share of the jobs that must keep it, at least half
  std::vector<SizingOption> options;       // K ascending, at least one
};

enum class Pay {
  used,  // jobs pay for what they hold while they run
  held,  // partitions are paid around the clock
};

struct SizingMix {
  std::vector<SizingWorkload> workloads;
  int nodes = 1;
  Pay pay = Pay::used;
  std::int64_t node_hour_micros = 0;  // held: of one node
  bool backfill = false;
  std::uint64_t seed = 1;
};

// A way to do it. Every workload is in one partition.
struct Cut {
  struct Partition {
    std::vector<int> workloads;  // indexes, ascending
    int nodes = 1;
  };
  std::vector<Partition> partitions;
  std::vector<int> options;  // by workload: index of its option

  int nodes() const;
};

// The option that the cut has for a workload.
const SizingOption& option_of(const SizingMix& mix, const Cut& cut, std::size_t workload);

struct WorkloadOutcome {
  int partition = 0;
  QueueClassResult queue;
  bool too_large = false;        // a job needs more nodes than the partition has
  bool in_time = false;          // enough jobs keep the deadline, or there is none
  std::int64_t hour_micros = 0;  // what its jobs are billed an hour
};

// What a cut comes to.
struct CutTotals {
  bool saturated = false;                  // some queue only grows
  bool feasible = false;                   // none does, and every deadline is kept often enough
  std::int64_t hour_micros = 0;            // used: the sum over workloads; held: over partitions
  double results_per_hour = 0;             // by value
  std::optional<double> results_per_unit;  // of money; none: it costs nothing or does not keep up
};
struct CutOutcome : CutTotals {
  std::vector<WorkloadOutcome> workloads;
  std::vector<QueueResult> partitions;
};
CutOutcome assess(const SizingMix& mix, const Cut& cut);

// What a search found out, with or without a cut.
struct SizingFindings {
  std::string why;                   // in words, when there is none
  std::optional<int> nodes_needed;   // that would do, when these don't
  std::optional<double> cost_bound;  // units an hour: no cut can cost less
  bool search_ended_early = false;   // sharing was not searched to the end
};
struct SizingAnswer : SizingFindings {
  std::optional<Cut> cut;  // none: `why` says why
  CutOutcome outcome;
};

struct SizingOptions {
  int enumerate_up_to = 20'000;           // ways; beyond that the search is local
  long most_simulated_jobs = 10'000'000;  // for partitions that are shared
};

SizingAnswer size_partitions(const SizingMix& mix, const SizingOptions& options = {});

// Other ways to compare it with. Each is there only if it can be built.
std::optional<Cut> one_shared_partition(const SizingMix& mix);  // best K in it
std::optional<Cut> largest_k(const SizingMix& mix);  // every job as large as fits, one partition
std::optional<Cut> even_partitions(
    const SizingMix& mix);  // equal parts, cheapest K that is in time

}  // namespace kneepoint
