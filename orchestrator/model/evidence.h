// SPDX-License-Identifier: Apache-2.0
//
// What a finished run left behind, as plain values: the input of analysis and report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/attempt.h"
#include "orchestrator/model/point.h"

namespace kneepoint {

// What a run reported, as it came over the wire (decision 0035).
using record::Metric;
using record::RankProfile;
using record::RankTotal;
using record::Sample;
using OperationTotal = record::Operation;

// One fact of provenance. `scope` is a host name, or "run" for what holds for all.
struct Fact {
  std::string scope, name, value;
  KP_DESCRIBED(Fact, scope, name, value);
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

  // Of the table of attempts.
  static constexpr auto columns() {
    using T = RunEvidence;
    return described(KP_NAMED(state, reason, seconds, work_total, work_min, work_max),
                     KP_NAMED(compute_seconds, communication_seconds, hosts, nodes),
                     KP_NAMED(oversubscribed, binding_differs, machine_busy, disturbed));
  }
};

struct PointEvidence {
  Point point;
  std::vector<RunEvidence> runs;   // by repeat
  std::vector<RunDetail> details;  // by repeat; empty unless asked for
};

// What whoever made the study says of its numbers: `code` is stable, `message` a sentence.
struct Caveat {
  std::string code, message;
  KP_DESCRIBED(Caveat, code, message);
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
