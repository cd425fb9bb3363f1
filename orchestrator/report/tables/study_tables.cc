// SPDX-License-Identifier: Apache-2.0
//
// Tables of a study as a whole: builds and shapes against each other, collectives, waits in the
// queue, bad nodes, warnings. All times of a build table share a unit.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "orchestrator/base/json_put.h"
#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/terminal/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

// ---- Builds against each other: one table per curve, with a line for all its K

std::string name_of(const BuildCurve& curve) {
  return curve.case_name + " " + to_string(curve.mode);
}

std::string moved_text(const BuildTest& test) {
  if (!test.moved || (!test.slower && !test.faster)) return "";
  return test.moved->name + ", " + percent_text(std::min(1.0, test.moved->share)) + " of it";
}

std::string ratio_with_bounds(const BuildTest& test) {
  if (!test.ratio) return "-";
  return fixed_text(*test.ratio, 3) + " " + bounds_text(test.interval, 1, 3);
}

// A point of the curve, or the whole of it.
struct BuildRow {
  const BuildTest* test;
  const BuildPoint* point;  // nullptr: the whole
};

TextTable build_table(const BuildComparison& builds, const BuildCurve& curve) {
  std::vector<double> times;
  std::vector<BuildRow> rows;
  for (const BuildPoint& point : curve.points) {
    times.insert(times.end(), {point.reference.seconds, point.candidate.seconds});
    rows.push_back({&point, &point});
  }
  if (curve.points.size() > 1) rows.push_back({&curve, nullptr});
  const TimeUnit unit = unit_of_least(times);
  const auto time = [unit](BuildSide BuildPoint::*side) {
    return [unit, side](const BuildRow& row) -> std::string {
      if (row.point == nullptr) return "";
      const double seconds = (row.point->*side).seconds;
      return seconds > 0 ? significant_text(seconds * unit.per_second, 4) : "-";
    };
  };
  const std::vector<ColumnOf<BuildRow>> columns = {
      {"K", [](auto& row) { return row.point == nullptr ? "all" : std::to_string(row.point->k); }},
      {"T " + builds.reference + ",\n" + unit.name, time(&BuildPoint::reference)},
      {"T " + builds.candidate + ",\n" + unit.name, time(&BuildPoint::candidate)},
      {builds.candidate + " /\n" + builds.reference,
       [](auto& row) { return or_dash(row.test->ratio, fixed(3)); }},
      {"[95%]",
       [](auto& row) { return row.test->ratio ? bounds_text(row.test->interval, 1, 3) : ""; },
       Align::left, true},
      {"pairs", [](auto& row) { return std::to_string(row.test->pairs); }},
      {"could\nsee", [](auto& row) { return or_dash(row.test->detectable, percent_text); }},
      {"", [](auto& row) { return row.test->slower   ? "slower"
                                  : row.test->faster ? "faster"
                                                     : ""; },
       Align::left},
      {"what moved", [](auto& row) { return moved_text(*row.test); }, Align::left}};
  return table_of(
      columns, rows,
      fmt::format("Builds: {}, {} against {}", name_of(curve), builds.candidate, builds.reference));
}

std::vector<TextTable> build_tables(const BuildComparison& builds) {
  std::vector<TextTable> tables;
  for (const BuildCurve& curve : builds.curves) tables.push_back(build_table(builds, curve));
  if (tables.empty()) return tables;
  tables.back().lines = {
      "Ratios are of T; below 1 the second build is faster. 'could see': a change that four of "
      "five such studies would show."};
  for (const std::string& note : builds.notes) tables.back().lines.push_back(note + ".");
  return tables;
}

// What the verdict rests on, with its name: curves before points, the surest first.
std::pair<const BuildTest*, std::string> decisive(const BuildComparison& builds) {
  std::pair<const BuildTest*, std::string> best = {nullptr, ""};
  const bool slower = builds.verdict == Verdict::regressed;
  const bool decided = slower || builds.verdict == Verdict::improved;
  const auto p = [slower](const BuildTest& test) { return slower ? test.p_slower : test.p_faster; };
  const auto consider = [&](const BuildTest& test, const std::string& name) {
    if (decided && !(slower ? test.slower : test.faster)) return;
    if (best.first == nullptr || (decided && p(test) < p(*best.first))) best = {&test, name};
  };
  for (const BuildCurve& curve : builds.curves) {
    consider(curve, fmt::format("{} ({} K)", name_of(curve), curve.points.size()));
  }
  if (best.first != nullptr) return best;
  for (const BuildCurve& curve : builds.curves) {
    for (const BuildPoint& point : curve.points) {
      consider(point, fmt::format("{} K={}", name_of(curve), point.k));
    }
  }
  return best;
}

// ---- Shapes against each other

void add_contest(const ShapeContest& contest, bool several_builds, std::vector<TextTable>& tables) {
  using Entry = ShapeContest::Entry;
  std::vector<std::string> names;  // shapes have long ones: they are "A", "B", ... in the table
  for (const Entry& e : contest.entries) {
    for (const std::string* shape : {&e.winner, &e.runner_up}) {
      const bool known = std::find(names.begin(), names.end(), *shape) != names.end();
      if (!shape->empty() && !known) names.push_back(*shape);
    }
  }
  const auto letter_of = [&names](const std::string& shape) {
    const auto number = std::find(names.begin(), names.end(), shape) - names.begin();
    return number < 26 ? std::string(1, static_cast<char>('A' + number))
                       : std::to_string(number + 1);
  };
  const auto percent = [](double ratio) { return fixed_text((ratio - 1) * 100, 1) + "%"; };
  const std::vector<ColumnOf<Entry>> columns = {
      {"K", [](auto& e) { return std::to_string(e.k); }},
      {"cores", [](auto& e) { return std::to_string(e.cores); }},
      {"fastest", [&](auto& e) { return letter_of(e.winner) + (e.tie ? ", a tie" : ""); },
       Align::left},
      {"faster by", [&](auto& e) { return e.runner_up.empty() ? "-" : percent(e.ratio); }},
      {"[95%]",
       [&](auto& e) -> std::string {
         if (e.interval)
           return "[" + percent(e.interval->low) + ", " + percent(e.interval->high) + "]";
         return e.runner_up.empty() ? "" : "[-]";
       },
       Align::left, true},
      {"than", [&](auto& e) { return e.runner_up.empty() ? "" : letter_of(e.runner_up); },
       Align::left}};
  tables.push_back(table_of(
      columns, contest.entries,
      fmt::format("Up or out: {}, {}{}; the shape with the least T at each K", contest.case_name,
                  to_string(contest.mode), several_builds ? ", build " + contest.build : "")));
  for (const std::string& name : names) {
    tables.back().lines.push_back(letter_of(name) + ": " + name);
  }
}

void add_collective(const CollectiveAnswer& answer, std::vector<TextTable>& tables) {
  const std::vector<AllreduceFit>& fits = answer.model.fits;
  const auto note = [&](const AllreduceFit& fit) {
    const auto rank = &fit - fits.data();
    return rank == 0 ? "best" : rank < answer.model.plausible ? "not told apart" : "";
  };
  const std::vector<ColumnOf<AllreduceFit>> columns = {
      {"algorithm", [](auto& fit) { return to_string(fit.algorithm); }, Align::left},
      {"alpha, us", [](auto& fit) { return significant_text(fit.cost.alpha * 1e6, 3); }},
      {"beta, ns/B", [](auto& fit) { return significant_text(fit.cost.beta * 1e9, 3); }},
      {"link,\nGB/s",
       [](auto& fit) {
         return fit.cost.beta > 0 ? significant_text(1e-9 / fit.cost.beta, 3) : "-";
       }},
      {"relative\nerror", [](auto& fit) { return percent_text(fit.relative_error); }},
      {"", note, Align::left}};
  tables.push_back(table_of(columns, fits, "Collectives: all-reduces of " + answer.case_name));
  std::vector<std::string>& lines = tables.back().lines;
  for (const AllreducePrediction& p : answer.predictions) lines.push_back(p.sentence);
  lines.insert(lines.end(), answer.model.notes.begin(), answer.model.notes.end());
}

// ---- The queue: which way it was used, how long runs waited, and which nodes slow their runs

void add_waits(const QueueUse& queue, std::vector<TextTable>& tables) {
  const std::vector<ColumnOf<QueueWait>> columns = {
      {"K", [](auto& wait) { return std::to_string(wait.k); }},
      {"nodes", [](auto& wait) { return std::to_string(wait.nodes); }},
      {"runs", [](auto& wait) { return std::to_string(wait.runs); }},
      {queue.packed ? "allocations" : "jobs",
       [](auto& wait) { return std::to_string(wait.allocations); }},
      {"median", [](auto& wait) { return duration_text(wait.median_seconds); }},
      {"largest", [](auto& wait) { return duration_text(wait.largest_seconds); }}};
  TextTable table;
  if (!queue.waits.empty()) table = table_of(columns, queue.waits);
  table.title = "Queue: " + way_of(queue) + "; waits, not part of T";
  table.lines = {"held fixed: " + held_fixed_by(queue)};
  if (queue.packed) table.lines.emplace_back("an allocation waits once for all of its steps");
  if (queue.waits_known < queue.allocations) {
    table.lines.push_back(fmt::format("{} of {} have no wait recorded",
                                      queue.allocations - queue.waits_known, queue.allocations));
  }
  tables.push_back(std::move(table));
}

void add_bad_nodes(const BadNodeVerdict& verdict, std::vector<TextTable>& tables) {
  if (verdict.bad.empty()) {
    tables.push_back({{}, {}, "Bad nodes", {to_sentence(verdict)}});
    return;
  }
  const std::vector<ColumnOf<BadNode>> columns = {
      {"node", [](auto& bad) { return bad.node; }, Align::left},
      {"slower by", [](auto& bad) { return percent_text(bad.slowdown); }},
      {"p", [](auto& bad) { return significant_text(bad.p_value, 2); }},
      {"runs", [](auto& bad) { return std::to_string(bad.runs); }},
      {"points", [](auto& bad) { return std::to_string(bad.points); }},
      {"slower at", [](auto& bad) { return std::to_string(bad.points_slower); }},
      {"or, in the same runs", [](auto& bad) { return joined(bad.inseparable, ", "); },
       Align::left}};
  tables.push_back(table_of(columns, verdict.bad, "Bad nodes"));
  tables.back().lines = {fmt::format(
      "{} nodes compared in {} runs at {} points; p is corrected for having looked at all of them",
      verdict.nodes, verdict.runs, verdict.points)};
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

// The others are shown by a table, a finding or a question; the JSON holds them all.
bool is_shown_here(WarningCode code) {
  switch (code) {
    case WarningCode::invalid_time:
    case WarningCode::stand_in:
    case WarningCode::outliers:
    case WarningCode::relative_baseline:
    case WarningCode::equal_times:
    case WarningCode::fewer_replicates:
    case WarningCode::beyond_parallelism:
    case WarningCode::profile_window:
    case WarningCode::utilisation_refused:
    case WarningCode::collective_not_fitted:
      return true;
    default:
      return false;
  }
}

}  // namespace

void add_warnings(const std::vector<Warning>& warnings, std::vector<TextTable>& tables) {
  TextTable table{{}, {}, "Warnings", {}};
  for (const Warning& warning : warnings) {
    if (is_shown_here(warning.code)) table.lines.push_back(warning.message);
  }
  if (!table.lines.empty()) tables.push_back(std::move(table));
}

std::string build_verdict_line(const std::string& study, const BuildComparison& builds) {
  const auto [test, name] = decisive(builds);
  std::string line = fmt::format("{}  {}: {}", to_string(builds.verdict), study, builds.why);
  if (builds.verdict == Verdict::failed || test == nullptr) return plain(line);
  line += "; " + name + " " + ratio_with_bounds(*test);
  if (const std::string moved = moved_text(*test); !moved.empty()) line += ", " + moved;
  return plain(line);
}

std::string to_build_text(const std::string& study, const BuildComparison& builds, int width) {
  std::string text;
  for (TextTable& table : build_tables(builds)) {
    make_plain(table);
    text += drawn_table(table, {.color = false, .width = width, .brief = false}) + "\n";
  }
  return text + build_verdict_line(study, builds) + "\n";
}

std::vector<TextTable> study_tables(const StudyAnalysis& analysis) {
  std::vector<TextTable> tables;
  if (analysis.builds) tables = build_tables(*analysis.builds);
  std::set<std::string> builds;
  for (const ShapeContest& contest : analysis.shapes) builds.insert(contest.build);
  for (const ShapeContest& contest : analysis.shapes) {
    add_contest(contest, builds.size() > 1, tables);
  }
  for (const CollectiveAnswer& answer : analysis.collectives) add_collective(answer, tables);
  if (analysis.queue) add_waits(*analysis.queue, tables);
  if (analysis.bad_nodes) add_bad_nodes(*analysis.bad_nodes, tables);
  add_warnings(analysis.warnings, tables);
  for (TextTable& table : tables) make_plain(table);
  return tables;
}

std::string queue_line(const StudyAnalysis& analysis) {
  if (!analysis.queue) return "";
  const QueueUse& queue = *analysis.queue;
  std::string line = "Queue: " + way_of(queue) + "; " + held_fixed_by(queue);
  if (queue.waits_known > 0) {
    line += fmt::format("; waited {} in the median, {} at most, not part of T",
                        duration_text(queue.median_wait_seconds),
                        duration_text(queue.largest_wait_seconds));
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

void put_queue(JsonWriter& w, const StudyAnalysis& analysis) {
  w.key("queue");
  analysis.queue ? put_use(w, *analysis.queue) : static_cast<void>(w.null());
  w.key("bad_nodes");
  analysis.bad_nodes ? put_bad_nodes(w, *analysis.bad_nodes) : static_cast<void>(w.null());
}

}  // namespace kneepoint
