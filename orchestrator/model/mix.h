// SPDX-License-Identifier: Apache-2.0
//
// Mix: the workloads that share a cluster, as plain values. Only plan/mix_reader makes one from a
// file. Studies are only named here; whoever sizes looks them up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

// Of a workload's jobs keep the deadline at least, unless the mix says otherwise.
inline constexpr double kUsualInTime = 0.95;

struct MixTime {
  int k = 1;
  double seconds = 0;
};

// T = t1 (s + (1-s)/K + c log2 K) strong, t1 (1 + c log2 K) weak.
struct MixModel {
  double t1_seconds = 0, serial = 0, log_coefficient = 0;
};

struct MixWorkload {
  std::string name;
  Mode mode = Mode::strong;
  // One of the three.
  std::string study;
  std::vector<MixTime> times;  // K ascending
  std::optional<MixModel> model;
  std::string case_name;                   // of the study; "": it has one
  std::optional<double> baseline_seconds;  // of a study that holds speedups only
  double per_hour = 0;                     // results wanted
  bool periodic = false;
  std::optional<double> deadline_seconds;
  double in_time = kUsualInTime;  // share of its jobs that must keep it
  double value = 1;
  double spread = 0;
  std::optional<int> result_workers;  // weak: one result is what so many do in one run
  std::vector<int> ks;                // the only K allowed; empty: any
};

struct WhatIf {
  double load = 1, price = 1;
};

struct Mix {
  std::string path, name;
  WorkerUnit worker = WorkerUnit::node;
  std::optional<int> workers;  // this or a budget
  std::optional<std::int64_t> budget_micros;
  double budget_hours = 1;  // that it is for
  int workers_per_node = 1;
  std::string price_book, price_item;  // book: as written, relative to the mix's folder
  bool held = false;                   // pay for partitions around the clock
  bool backfill = false;
  bool modelled = false;
  std::uint64_t seed = 1;
  std::vector<MixWorkload> workloads;
  std::vector<WhatIf> what_if;
  std::string node_prefix = "node";  // of Slurm's node names
  std::string resource;              // of Kubernetes; "": by the kind of worker
  int resource_per_worker = 1;
};

}  // namespace kneepoint
