// SPDX-License-Identifier: Apache-2.0
//
// The answer of `size` for programs: kneepoint.size/1. What a queue that only grows has no number
// for is null.
#include <algorithm>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/partition_config.h"
#include "orchestrator/cli/size_text.h"

namespace kneepoint::cli {
namespace {

void put_estimate(JsonWriter& json, const char* key, const Estimate& estimate, bool known) {
  json.key(key);
  if (!known) {
    json.null();
    return;
  }
  json.begin_object().key("mean").value(estimate.mean);
  json.key("low");
  estimate.interval ? json.value(estimate.interval->low) : json.null();
  json.key("high");
  estimate.interval ? json.value(estimate.interval->high) : json.null();
  json.end_object();
}

void put_workload(JsonWriter& json, const SizingWorkload& one, const SizingOption& option,
                  const WorkloadOutcome& came, bool known) {
  json.begin_object().key("name").value(one.name).key("mode").value(to_string(one.mode));
  json.key("k").value(option.k).key("nodes").value(option.nodes);
  json.key("modelled").value(option.modelled).key("seconds").value(option.seconds);
  json.key("per_hour").value(one.per_hour).key("partition").value(came.partition);
  put_estimate(json, "wait_seconds", came.queue.wait, known);
  put_estimate(json, "wait_p95_seconds", came.queue.wait_p95, known);
  json.key("deadline_seconds");
  one.deadline_seconds ? json.value(*one.deadline_seconds) : json.null();
  json.key("in_time_wanted");
  one.deadline_seconds ? json.value(one.in_time) : json.null();
  json.key("late_share");
  known&& one.deadline_seconds ? json.value(came.queue.missed) : json.null();
  json.key("in_time").value(came.in_time).key("job_micros").value(option.job_micros);
  json.key("hour_micros").value(came.hour_micros).end_object();
}

void put_cut(JsonWriter& json, const Mix& mix, const SizingMix& sizing, const std::string& name,
             const Cut& cut, const CutOutcome& outcome) {
  json.begin_object().key("name").value(name).key("feasible").value(outcome.feasible);
  json.key("saturated").value(outcome.saturated).key("nodes").value(cut.nodes());
  json.key("workers").value(cut.nodes() * mix.workers_per_node);
  json.key("hour_micros").value(outcome.hour_micros);
  json.key("results_per_hour").value(outcome.results_per_hour).key("results_per_unit");
  outcome.results_per_unit ? json.value(*outcome.results_per_unit) : json.null();
  const auto totals = totals_of(sizing, cut, outcome);
  json.key("wait_seconds");
  totals ? json.value(totals->wait_seconds) : json.null();
  json.key("utilisation");
  totals ? json.value(totals->utilisation) : json.null();
  json.key("late_share");
  totals ? json.value(totals->missed) : json.null();
  const std::vector<std::string> names = partition_names(sizing, cut);
  json.key("partitions").begin_array();
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const Cut::Partition& part = cut.partitions[p];
    int largest = 0;
    for (const int w : part.workloads) {
      const auto at = static_cast<std::size_t>(w);
      largest = std::max(
          largest, sizing.workloads[at].options[static_cast<std::size_t>(cut.options[at])].nodes);
    }
    json.begin_object().key("name").value(names[p]).key("nodes").value(part.nodes);
    json.key("workers").value(part.nodes * mix.workers_per_node);
    json.key("max_nodes_per_job").value(largest);
    put_estimate(json, "utilisation", outcome.partitions[p].utilisation,
                 !outcome.partitions[p].saturated);
    json.end_object();
  }
  json.end_array().key("workloads").begin_array();
  for (std::size_t w = 0; w < sizing.workloads.size(); ++w) {
    const WorkloadOutcome& came = outcome.workloads[w];
    const bool known =
        !came.too_large && !outcome.partitions[static_cast<std::size_t>(came.partition)].saturated;
    put_workload(json, sizing.workloads[w],
                 sizing.workloads[w].options[static_cast<std::size_t>(cut.options[w])], came,
                 known);
  }
  json.end_array().end_object();
}

void put_answer(JsonWriter& json, const Mix& mix, const SizingMix& sizing,
                const SizingAnswer& answer) {
  json.key("recommended");
  answer.cut ? put_cut(json, mix, sizing, "recommended", *answer.cut, answer.outcome)
             : static_cast<void>(json.null());
  json.key("why").value(answer.why).key("nodes_needed");
  answer.nodes_needed ? json.value(*answer.nodes_needed) : json.null();
  json.key("cost_bound_per_hour");
  answer.cost_bound ? json.value(*answer.cost_bound) : json.null();
  json.key("search_ended_early").value(answer.search_ended_early);
}

}  // namespace

std::string size_json(const SizeAnswer& answer) {
  JsonWriter json(2);
  json.begin_object().key("schema").value("kneepoint.size/1");
  json.key("mix").value(answer.mix.name).key("worker").value(to_string(answer.mix.worker));
  json.key("nodes").value(answer.sizing.nodes);
  json.key("workers").value(answer.sizing.nodes * answer.mix.workers_per_node);
  json.key("workers_per_node").value(answer.mix.workers_per_node);
  json.key("currency").value(answer.book.currency).key("prices").value(answer.book.path);
  json.key("item").value(answer.item.name).key("example").value(answer.book.example);
  json.key("pay").value(answer.sizing.pay == Pay::held ? "held" : "used");
  json.key("backfill").value(answer.sizing.backfill).key("seed").value(answer.sizing.seed);
  json.key("load").value(answer.factors.load).key("price").value(answer.factors.price);
  put_answer(json, answer.mix, answer.sizing, answer.answer);
  json.key("others").begin_array();
  for (const NamedCut& other : answer.others) {
    put_cut(json, answer.mix, answer.sizing, other.name, other.cut, other.outcome);
  }
  json.end_array().key("what_if").begin_array();
  for (const WhatIfAnswer& one : answer.what_if) {
    json.begin_object().key("load").value(one.factors.load).key("price").value(one.factors.price);
    put_answer(json, answer.mix, one.sizing, one.answer);
    json.end_object();
  }
  json.end_array().key("studies").begin_array();
  for (const MixCurve& curve : answer.curves) json.value(curve.study);
  json.end_array().key("notes").begin_array();
  for (const std::string& note : answer.notes) json.value(note);
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli
