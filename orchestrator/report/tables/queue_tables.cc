// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/tables/detail_tables.h"

#include "orchestrator/base/json_put.h"
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
    table.columns = {
        {"K", Align::right},      {"nodes", Align::right},
        {"runs", Align::right},   {queue.packed ? "allocations" : "jobs", Align::right},
        {"median", Align::right}, {"largest", Align::right}};
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
  table.columns = {{"node"},
                   {"slower by", Align::right},
                   {"p", Align::right},
                   {"runs", Align::right},
                   {"points", Align::right},
                   {"slower at", Align::right},
                   {"or, in the same runs"}};
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

void put_bad_nodes(JsonWriter& w, const BadNodeVerdict& verdict) {
  w.begin_object().put("tested", verdict.why_not.empty()).put("why_not", verdict.why_not);
  w.put("sentence", to_sentence(verdict)).put("nodes", verdict.nodes).put("runs", verdict.runs);
  w.put("points", verdict.points).put("least_p", verdict.least_p).put("bad", verdict.bad);
  w.end_object();
}

void put_use(JsonWriter& w, const QueueUse& queue) {
  const bool known = queue.waits_known > 0;
  w.begin_object().put("way", queue.packed ? "packed" : "one_per_run").put("runs", queue.runs);
  w.put("allocations", queue.allocations).put("most_runs", queue.most_runs);
  w.put("held_fixed", held_fixed_by(queue)).put("nested", queue.nested);
  w.put("wait_median", when(known, queue.median_wait_seconds));
  w.put("wait_largest", when(known, queue.largest_wait_seconds));
  w.put("waits", queue.waits).end_object();
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
  analysis.queue ? put_use(w, *analysis.queue) : static_cast<void>(w.null());
  w.key("bad_nodes");
  analysis.bad_nodes ? put_bad_nodes(w, *analysis.bad_nodes) : static_cast<void>(w.null());
}

}  // namespace kneepoint
