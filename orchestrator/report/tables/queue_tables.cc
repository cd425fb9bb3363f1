// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/tables/queue_tables.h"

#include "orchestrator/report/json/parts.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

std::string wait_text(double seconds) {
  return to_duration_text(from_seconds(seconds));
}

void add_waits(const QueueUse& queue, std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Queue: " + way_of(queue) + "; waits, not part of T";
  if (!queue.waits.empty()) {
    table.columns = {{"K"},      {"nodes"},  {"runs"}, {queue.packed ? "allocations" : "jobs"},
                     {"median"}, {"largest"}};
  }
  for (const QueueWait& wait : queue.waits) {
    table.rows.push_back({std::to_string(wait.k), std::to_string(wait.nodes),
                          std::to_string(wait.runs), std::to_string(wait.allocations),
                          wait_text(wait.median_seconds), wait_text(wait.largest_seconds)});
  }
  table.lines.push_back("held fixed: " + held_fixed_by(queue));
  if (queue.packed) {
    table.lines.emplace_back("an allocation waits once for all of its steps");
  }
  if (queue.waits_known < queue.allocations) {
    table.lines.push_back(std::to_string(queue.allocations - queue.waits_known) + " of " +
                          std::to_string(queue.allocations) + " have no wait recorded");
  }
  tables.push_back(std::move(table));
}

void add_bad_nodes(const BadNodeVerdict& verdict, std::vector<DetailTable>& tables) {
  DetailTable table;
  table.title = "Bad nodes";
  if (verdict.bad.empty()) {
    table.lines.push_back(to_sentence(verdict));
    tables.push_back(std::move(table));
    return;
  }
  table.columns = {{"node", false},
                   {"slower by"},
                   {"p"},
                   {"runs"},
                   {"points"},
                   {"slower at"},
                   {"or, in the same runs", false}};
  for (const BadNode& bad : verdict.bad) {
    table.rows.push_back({bad.node, percent_text(bad.slowdown), significant_text(bad.p_value, 2),
                          std::to_string(bad.runs), std::to_string(bad.points),
                          std::to_string(bad.points_slower), joined(bad.inseparable, ", ")});
  }
  table.lines.push_back(std::to_string(verdict.nodes) + " nodes compared in " +
                        std::to_string(verdict.runs) + " runs at " +
                        std::to_string(verdict.points) +
                        " points; p is corrected for having looked at all of them");
  tables.push_back(std::move(table));
}

void put_waits(JsonWriter& w, const QueueUse& queue) {
  w.key("waits").begin_array();
  for (const QueueWait& wait : queue.waits) {
    JsonWriter line;
    line.begin_object().key("k").value(wait.k).key("nodes").value(wait.nodes);
    line.key("runs").value(wait.runs).key("allocations").value(wait.allocations);
    line.key("median").value(wait.median_seconds).key("largest").value(wait.largest_seconds);
    w.raw(line.end_object().text());
  }
  w.end_array();
}

void put_bad_nodes(JsonWriter& w, const BadNodeVerdict& verdict) {
  w.begin_object().key("tested").value(verdict.why_not.empty());
  w.key("why_not").value(verdict.why_not).key("sentence").value(to_sentence(verdict));
  w.key("nodes").value(verdict.nodes).key("runs").value(verdict.runs);
  w.key("points").value(verdict.points).key("least_p").value(verdict.least_p);
  w.key("bad").begin_array();
  for (const BadNode& bad : verdict.bad) {
    JsonWriter line;
    line.begin_object().key("node").value(bad.node).key("slowdown").value(bad.slowdown);
    line.key("p").value(bad.p_value).key("runs").value(bad.runs);
    line.key("points").value(bad.points).key("points_slower").value(bad.points_slower);
    put_texts(line, "inseparable", bad.inseparable);
    w.raw(line.end_object().text());
  }
  w.end_array().end_object();
}

}  // namespace

std::string queue_line(const StudyAnalysis& analysis) {
  if (!analysis.queue) return "";
  const QueueUse& queue = *analysis.queue;
  std::string line = "Queue: " + way_of(queue) + "; " + held_fixed_by(queue);
  if (queue.waits_known > 0) {
    line += "; waited " + wait_text(queue.median_wait_seconds) + " in the median, " +
            wait_text(queue.largest_wait_seconds) + " at most, not part of T";
  }
  return line;
}

std::vector<std::string> study_findings(const StudyAnalysis& analysis) {
  if (!analysis.bad_nodes || analysis.bad_nodes->bad.empty()) return {};
  const bool one = analysis.bad_nodes->bad.size() == 1;
  return {to_sentence(*analysis.bad_nodes) +
          (one ? " Its runs are in the numbers: leave it out and measure again."
               : " Their runs are in the numbers: leave them out and measure again.")};
}

void add_queue_tables(const StudyAnalysis& analysis, std::vector<DetailTable>& tables) {
  if (analysis.queue) add_waits(*analysis.queue, tables);
  if (analysis.bad_nodes) add_bad_nodes(*analysis.bad_nodes, tables);
}

void put_queue(JsonWriter& w, const StudyAnalysis& analysis) {
  w.key("queue");
  if (analysis.queue) {
    const QueueUse& queue = *analysis.queue;
    w.begin_object().key("way").value(queue.packed ? "packed" : "one_per_run");
    w.key("runs").value(queue.runs).key("allocations").value(queue.allocations);
    w.key("most_runs").value(queue.most_runs).key("held_fixed").value(held_fixed_by(queue));
    w.key("nested");
    if (queue.nested) {
      w.value(*queue.nested);
    } else {
      w.null();
    }
    put_if(w, "wait_median", queue.waits_known > 0, queue.median_wait_seconds);
    put_if(w, "wait_largest", queue.waits_known > 0, queue.largest_wait_seconds);
    put_waits(w, queue);
    w.end_object();
  } else {
    w.null();
  }
  w.key("bad_nodes");
  if (analysis.bad_nodes) {
    put_bad_nodes(w, *analysis.bad_nodes);
  } else {
    w.null();
  }
}

}  // namespace kneepoint
