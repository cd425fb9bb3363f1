// SPDX-License-Identifier: Apache-2.0
//
// What a finished run left behind, as plain values: the input of analysis and report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/attempt.h"
#include "orchestrator/model/point.h"

namespace kneepoint {

// One timed iteration: max over ranks, split. compute + communication + other = max.
struct Sample {
  int iteration = 0;
  bool warmup = false;
  Nanoseconds max_ns = 0;
  Nanoseconds mean_ns = 0;
  Nanoseconds min_ns = 0;
  Nanoseconds compute_ns = 0;        // mean over ranks
  Nanoseconds communication_ns = 0;  // mean over ranks
  Nanoseconds other_ns = 0;
  static constexpr auto fields() {
    using T = Sample;
    return described(field("iteration", &T::iteration), field("warmup", &T::warmup),
                     field("max_ns", &T::max_ns), field("mean_ns", &T::mean_ns),
                     field("min_ns", &T::min_ns), field("compute_ns", &T::compute_ns),
                     field("communication_ns", &T::communication_ns),
                     field("other_ns", &T::other_ns));
  }
};

// What one rank did in all its timed iterations, and where.
struct RankTotal {
  int rank = 0;
  std::string host;
  std::string cpus;  // affinity as the kernel lists it: "0" or "0-3"
  Nanoseconds compute_ns = 0;
  Nanoseconds communication_ns = 0;
  double work = 0;  // in the workload's work unit, per iteration
  static constexpr auto fields() {
    using T = RankTotal;
    return described(field("rank", &T::rank), field("host", &T::host), field("cpus", &T::cpus),
                     field("compute_ns", &T::compute_ns),
                     field("communication_ns", &T::communication_ns), field("work", &T::work));
  }
};

// What a preloaded profile saw of one rank between MPI_Init and MPI_Finalize, by kind of call.
struct RankProfile {
  int rank = 0;
  bool complete = false;  // MPI_Finalize was reached
  int threads = 1;        // that called MPI; the times are of the one that called MPI_Init
  Nanoseconds window_ns = 0;
  Nanoseconds collective_ns = 0, point_to_point_ns = 0, wait_ns = 0, one_sided_ns = 0;
  Nanoseconds other_ns = 0;          // MPI-IO
  Nanoseconds other_threads_ns = 0;  // in MPI, in threads beside that one

  Nanoseconds communication_ns() const {
    return collective_ns + point_to_point_ns + wait_ns + one_sided_ns;
  }
  static constexpr auto fields() {
    using T = RankProfile;
    return described(
        field("rank", &T::rank), field("complete", &T::complete), field("threads", &T::threads),
        field("window_ns", &T::window_ns), field("collective_ns", &T::collective_ns),
        field("point_to_point_ns", &T::point_to_point_ns), field("wait_ns", &T::wait_ns),
        field("one_sided_ns", &T::one_sided_ns), field("other_ns", &T::other_ns),
        field("other_threads_ns", &T::other_threads_ns));
  }
};

// One MPI call by name, all ranks and threads together.
struct OperationTotal {
  std::string name, kind;
  std::int64_t calls = 0;
  std::int64_t bytes = 0;   // handed over to be sent
  Nanoseconds time_ns = 0;  // sum over ranks
  Nanoseconds max_ns = 0;   // of one rank
  static constexpr auto fields() {
    using T = OperationTotal;
    return described(field("name", &T::name), field("kind", &T::kind), field("calls", &T::calls),
                     field("bytes", &T::bytes), field("time_ns", &T::time_ns),
                     field("max_ns", &T::max_ns));
  }
};

struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
  std::string better;  // lower | higher; "": not said
  static constexpr auto fields() {
    using T = Metric;
    return described(field("name", &T::name), field("value", &T::value), field("unit", &T::unit),
                     field_if_any("better", &T::better));
  }
};

// One fact of provenance. `scope` is a host name, or "run" for what holds for all.
struct Fact {
  std::string scope, name, value;
  static constexpr auto fields() {
    using T = Fact;
    return described(field("scope", &T::scope), field("name", &T::name), field("value", &T::value));
  }
};

// What a finer analysis needs of a run that succeeded; read apart from RunEvidence, since it grows
// with iterations and ranks.
struct RunDetail {
  int number = 0;                         // as RunEvidence::number
  std::vector<double> iteration_seconds;  // timed iterations in order, each the max over ranks
  std::vector<RankTotal> ranks;           // over those iterations
  std::vector<Metric> metrics;
  std::vector<Fact> facts;
  std::vector<RankProfile> profile;  // by rank; empty: the run had none
  std::vector<OperationTotal> operations;
};

// The evidence of one run: its deciding attempt. T is only meaningful if state is succeeded.
struct RunEvidence {
  int number = 0;  // study-local run number: r17
  int repeat = 0;
  int attempts = 0;
  bool finished = false;  // no further attempt will be made
  AttemptState state = AttemptState::planned;
  Reason reason = Reason::none;
  double seconds = 0;                 // T of the run
  double work_total = 0;              // sum over ranks, per iteration; 0: not reported
  double work_min = 0, work_max = 0;  // over ranks
  double compute_seconds = 0;         // mean over ranks, same scaling as T
  double communication_seconds = 0;
  std::string hosts;       // comma list of the nodes it really ran on
  std::string nodes;       // where its queue placed it, as it lists nodes: "n[1-4,7]"; "": unknown
  std::string allocation;  // name of the one it was a step of; runs of one name shared its nodes
  std::optional<double> queue_seconds;  // its allocation waited; none: no queue
  bool oversubscribed = false;
  bool binding_differs = false;  // ranks were not bound as the plan says
  bool machine_busy = false;     // other programs used the machine meanwhile
  std::string disturbed;         // what went beyond the plan's noise limit; "": nothing
  int set_aside = 0;             // earlier attempts that were disturbed and don't count
  // What of its provenance decides whether runs may be averaged: node type, program, MPI and so on,
  // as "cpu.model=...; program=...". Runs that say the same compare. "" when nothing was recorded.
  std::string provenance;
};

struct PointEvidence {
  Point point;
  std::vector<RunEvidence> runs;   // by repeat
  std::vector<RunDetail> details;  // by repeat; empty unless asked for
};

// What whoever made the study says of its numbers: `code` is stable, `message` a sentence.
struct Caveat {
  std::string code, message;
  static constexpr auto fields() {
    return described(field("code", &Caveat::code), field("message", &Caveat::message));
  }
};

// What one allocation held, and for how long its steps ran: what it is billed for.
struct HeldAllocation {
  std::string name;
  int nodes = 1, gpus = 0, cores = 1, workers = 1;  // of its largest step
  Nanoseconds held_ns = 0;
  int price = 0;  // which of the study's earlier prices it is billed by; 0: the present one
};

// All that a report draws from, besides the study's own header.
struct StudyEvidence {
  std::string id;  // <name>-<hash8>-<n>
  std::string name;
  std::string site;
  std::string backend;
  WorkerUnit worker = WorkerUnit::rank;
  std::uint64_t seed = 0;
  std::string knee_rule;
  double knee_floor = 0.7;
  std::string state;  // running | interrupted | finished | cancelled
  Nanoseconds created_ns = 0;
  double node_seconds = 0;      // spent so far, failed attempts included
  std::vector<Caveat> caveats;  // shown in every report
  std::vector<PointEvidence> points;
  std::vector<HeldAllocation> allocations;  // whose steps ran, failed attempts included
};

}  // namespace kneepoint
