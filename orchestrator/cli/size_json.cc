// SPDX-License-Identifier: Apache-2.0
//
// The answer of `size` for programs: kneepoint.size/1. What a queue that only grows has no number
// for is null.
#include <algorithm>

#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/partition_config.h"
#include "orchestrator/cli/size_text.h"

namespace kneepoint::cli {
namespace {

void put_workload(JsonWriter& json, const SizingWorkload& one, const SizingOption& option,
                  const WorkloadOutcome& came, bool known) {
  json.begin_object().put("name", one.name).put("mode", one.mode).put("k", option.k);
  json.put("nodes", option.nodes).put("modelled", option.modelled);
  json.put("seconds", option.seconds).put("per_hour", one.per_hour);
  json.put("partition", came.partition).put("wait_seconds", when(known, came.queue.wait));
  json.put("wait_p95_seconds", when(known, came.queue.wait_p95));
  const bool has_deadline = one.deadline_seconds.has_value();
  json.put("deadline_seconds", one.deadline_seconds);
  json.put("in_time_wanted", when(has_deadline, one.in_time));
  json.put("late_share", when(known && has_deadline, came.queue.missed));
  json.put("in_time", came.in_time).put("job_micros", option.job_micros);
  json.put("hour_micros", came.hour_micros).end_object();
}

void put_cut(JsonWriter& json, const Mix& mix, const SizingMix& sizing, const std::string& name,
             const Cut& cut, const CutOutcome& outcome) {
  json.begin_object().put("name", name).put("feasible", outcome.feasible);
  json.put("saturated", outcome.saturated).put("nodes", cut.nodes());
  json.put("workers", cut.nodes() * mix.workers_per_node);
  json.put("hour_micros", outcome.hour_micros).put("results_per_hour", outcome.results_per_hour);
  json.put("results_per_unit", outcome.results_per_unit);
  const auto totals = totals_of(sizing, cut, outcome);
  const bool known = totals.has_value();
  json.put("wait_seconds", when(known, known ? totals->wait_seconds : 0));
  json.put("utilisation", when(known, known ? totals->utilisation : 0));
  json.put("late_share", when(known, known ? totals->missed : 0));
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
    json.begin_object().put("name", names[p]).put("nodes", part.nodes);
    json.put("workers", part.nodes * mix.workers_per_node).put("max_nodes_per_job", largest);
    const QueueResult& came = outcome.partitions[p];
    json.put("utilisation", when(!came.saturated, came.utilisation)).end_object();
  }
  json.end_array().key("workloads").begin_array();
  for (std::size_t w = 0; w < sizing.workloads.size(); ++w) {
    const WorkloadOutcome& came = outcome.workloads[w];
    const bool waits =
        !came.too_large && !outcome.partitions[static_cast<std::size_t>(came.partition)].saturated;
    put_workload(json, sizing.workloads[w],
                 sizing.workloads[w].options[static_cast<std::size_t>(cut.options[w])], came,
                 waits);
  }
  json.end_array().end_object();
}

void put_answer(JsonWriter& json, const Mix& mix, const SizingMix& sizing,
                const SizingAnswer& answer) {
  json.key("recommended");
  answer.cut ? put_cut(json, mix, sizing, "recommended", *answer.cut, answer.outcome)
             : static_cast<void>(json.null());
  json.put("why", answer.why).put("nodes_needed", answer.nodes_needed);
  json.put("cost_bound_per_hour", answer.cost_bound);
  json.put("search_ended_early", answer.search_ended_early);
}

}  // namespace

std::string size_json(const SizeAnswer& answer) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.size/1").put("mix", answer.mix.name);
  json.put("worker", answer.mix.worker).put("nodes", answer.sizing.nodes);
  json.put("workers", answer.sizing.nodes * answer.mix.workers_per_node);
  json.put("workers_per_node", answer.mix.workers_per_node);
  json.put("currency", answer.book.currency).put("prices", answer.book.path);
  json.put("item", answer.item.name).put("example", answer.book.example);
  json.put("pay", answer.sizing.pay == Pay::held ? "held" : "used");
  json.put("backfill", answer.sizing.backfill).put("seed", answer.sizing.seed);
  json.put("load", answer.factors.load).put("price", answer.factors.price);
  put_answer(json, answer.mix, answer.sizing, answer.answer);
  json.key("others").begin_array();
  for (const NamedCut& other : answer.others) {
    put_cut(json, answer.mix, answer.sizing, other.name, other.cut, other.outcome);
  }
  json.end_array().key("what_if").begin_array();
  for (const WhatIfAnswer& one : answer.what_if) {
    json.begin_object().put("load", one.factors.load).put("price", one.factors.price);
    put_answer(json, answer.mix, one.sizing, one.answer);
    json.end_object();
  }
  json.end_array().key("studies").begin_array();
  for (const MixCurve& curve : answer.curves) json.value(curve.study);
  return json.end_array().put("notes", answer.notes).end_object().text();
}

}  // namespace kneepoint::cli
