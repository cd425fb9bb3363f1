// SPDX-License-Identifier: Apache-2.0
//
// How to cut a cluster for a mix of workloads: which K to run each at, how many nodes to set aside
// for it, what that costs and how long its jobs wait. cost/sizing.h searches; the usual cuts stand
// beside the recommended one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/cost/sizing.h"
#include "orchestrator/model/mix.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct SizeRequest {
  std::string mix;  // its file
  WhatIf factors;   // on top of what the mix says
  bool modelled = false, backfill = false;
};

// One workload in a cut. What a queue that only grows has no number for is absent.
struct SizedWorkload {
  std::string name;
  Mode mode = Mode::strong;
  int k = 1, nodes = 1;
  bool modelled = false;  // not measured
  double seconds = 0, per_hour = 0;
  int partition = 0;  // index
  std::optional<Estimate> wait, wait_p95;
  std::optional<double> deadline_seconds, in_time_wanted, late_share;
  bool in_time = false;
  std::int64_t job_micros = 0, hour_micros = 0;
  static constexpr auto fields() {
    using T = SizedWorkload;
    return described(
        KP_NAMED(name, mode, k, nodes, modelled, seconds, per_hour, partition),
        field("wait_seconds", &T::wait), field("wait_p95_seconds", &T::wait_p95),
        KP_NAMED(deadline_seconds, in_time_wanted, late_share, in_time, job_micros, hour_micros));
  }
};

struct SizedPartition {
  std::string name;  // of its workloads; unique, lower-case, at most 50 characters
  int nodes = 1, workers = 1, max_nodes_per_job = 0;
  std::optional<Estimate> utilisation;
  KP_DESCRIBED(SizedPartition, name, nodes, workers, max_nodes_per_job, utilisation);
};

struct SizedCut : CutTotals {
  std::string name;
  int nodes = 0, workers = 0;
  std::optional<double> wait_seconds, utilisation, late_share;  // over all its jobs
  std::vector<SizedPartition> partitions;
  std::vector<SizedWorkload> workloads;
  KP_DESCRIBED(SizedCut, name, feasible, saturated, nodes, workers, hour_micros, results_per_hour,
               results_per_unit, wait_seconds, utilisation, late_share, partitions, workloads);
};

// What there is to say of one set of factors.
struct SizedMix : SizingFindings {
  WhatIf factors;
  int nodes = 0;  // to be cut
  int workers = 0;
  std::optional<SizedCut> recommended;  // none: `why` says why
  static constexpr auto fields() {
    using T = SizedMix;
    return described(field("load", [](const T& one) { return one.factors.load; }),
                     field("price", [](const T& one) { return one.factors.price; }),
                     KP_NAMED(recommended, why, nodes_needed),
                     field("cost_bound_per_hour", &T::cost_bound),
                     field("search_ended_early", &T::search_ended_early));
  }
};

struct SizeAnswer : SizedMix {
  Mix mix;
  Prices prices;
  bool modelled = false;  // some K that could be chosen was not measured
  std::vector<SizedCut> others;
  std::vector<SizedMix> what_if;
  std::vector<std::string> studies;  // by workload; "": from the file
  std::vector<std::string> notes;
  std::vector<Problem> problems;  // of the mix or its price book; nothing was cut then
  static constexpr auto fields() {
    using T = SizeAnswer;
    return described(
        field("schema", [](const T&) { return "kneepoint.size/1"; }),
        field("mix", [](const T& one) { return one.mix.name; }),
        field("worker", [](const T& one) { return one.mix.worker; }), KP_NAMED(nodes, workers),
        field("workers_per_node", [](const T& one) { return one.mix.workers_per_node; }),
        fields_of([](const T& one) { return one.prices.names(); }),
        field("pay", [](const T& one) { return one.mix.held ? "held" : "used"; }),
        field("backfill", [](const T& one) { return one.mix.backfill; }),
        field("seed", [](const T& one) { return one.mix.seed; }),
        fields_of([](const T& one) -> const SizedMix& { return one; }),
        KP_NAMED(others, what_if, studies, notes));
  }
};

// Mixes and price books are files; the database is only opened if a workload names a study.
Result<SizeAnswer> size_mix(const Context& context, const SizeRequest& request);

// A cut as it is told. `outcome` is what the cut comes to.
SizedCut sized_cut(const Mix& mix, const SizingMix& sizing, const std::string& name, const Cut& cut,
                   const CutOutcome& outcome);

// ---- From a mix file to what sizing works with: curves are looked up in the database or taken as
// they stand, K become nodes, and every job gets its bill.

// How long a run takes at each K.
struct MixCurve {
  struct At {
    int k = 1;
    std::vector<double> seconds;
    bool modelled = false;
  };
  std::vector<At> points;  // K ascending
  std::string study;       // id; "": from the file
  int failed = 0;          // runs of the curve that did not succeed
};

// One for each workload. The database is only opened if a workload names a study.
Result<std::vector<MixCurve>> mix_curves(const Context& context, const Mix& mix);

// `factors` come on top of what the mix says.
Result<SizingMix> sizing_mix(const Mix& mix, const std::vector<MixCurve>& curves,
                             const Prices& prices, const WhatIf& factors,
                             std::vector<std::string>& notes);

}  // namespace kneepoint
