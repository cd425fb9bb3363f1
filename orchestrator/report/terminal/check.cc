// SPDX-License-Identifier: Apache-2.0
//
// One table per case and mode: what is held fixed stands above it.
#include "orchestrator/report/terminal/operating.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "orchestrator/answers/loading.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr int kTextWidth = 100;

std::string size_text(const Point& point) {
  return point.has_size ? number_text(point.size, 12) : "-";
}

std::string repeats_text(const Plan& plan) {
  const Repeat& repeat = plan.repeat;
  if (plan.search.adaptive) return "0.." + std::to_string(repeat.max);
  std::string text = std::to_string(repeat.min);
  if (repeat.max > repeat.min) text += ".." + std::to_string(repeat.max);
  return text;
}

std::string group_of(const Point& point) {
  return fmt::format("{}{}, {}", point.case_name,
                     is_default_build(point.build) ? "" : " (build " + point.build + ")",
                     to_string(point.mode));
}

// Points in plan order, gathered by case and mode.
std::vector<std::vector<Point>> groups_of(const Study& study) {
  std::vector<std::vector<Point>> groups;
  std::map<std::string, std::size_t> places;
  for (const Point& point : study.points) {
    const auto [place, fresh] = places.try_emplace(group_of(point), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(point);
  }
  return groups;
}

std::string group_text(const std::vector<Point>& points, const Plan& plan) {
  const Point& first = points.front();
  const bool same = std::all_of(points.begin(), points.end(), [&](const Point& point) {
    return point.held_fixed == first.held_fixed;
  });
  const bool said = same && !first.held_fixed.empty();
  std::vector<ColumnOf<Point>> columns = {
      {"K", [](auto& point) { return std::to_string(point.k); }},
      {"nodes", [](auto& point) { return std::to_string(point.shape.nodes); }},
      {"ranks", [](auto& point) { return std::to_string(point.shape.ranks); }},
      {"threads", [](auto& point) { return std::to_string(point.shape.threads_per_rank); }},
      {"size", size_text},
      {"runs", [&](auto&) { return repeats_text(plan); }}};
  if (!same) {
    columns.push_back({"held fixed", [](auto& point) { return point.held_fixed; }, Align::left});
  }
  return fmt::format("{}{}{}\n{}", group_of(first), said ? "; held fixed: " + first.held_fixed : "",
                     first.emulated ? "; emulated (sleeps, takes no core)" : "",
                     to_table(columns, points, 2));
}

std::string amount(int number, const std::string& noun) {
  return number > 0 ? counted(number, noun) : "an unknown number of " + noun + "s";
}

std::string submission_text(const CheckAnswer& answer) {
  const Submission submission = answer.submission();
  std::string text = "Would submit " + counted(submission.allocations, "allocation");
  if (answer.study.plan.search.adaptive) text += " in round 0";
  if (answer.site.packing.mode == PackingMode::packed) {
    text += fmt::format(" that {} all {} (packed)", submission.allocations == 1 ? "holds" : "hold",
                        counted(submission.runs, "run"));
  }
  if (submission.allocations_at_most > submission.allocations) {
    text += fmt::format(" (up to {} while efficiency is too uncertain)",
                        submission.allocations_at_most);
  }
  const Shape& largest = submission.largest;
  return text + fmt::format(", at most {} at a time; the largest: {}, {}, {}.\n", answer.concurrent,
                            counted(largest.nodes, "node"), counted(largest.ranks, "rank"),
                            submission.largest_is_emulated ? "no core (emulated)"
                                                           : counted(largest.cpus(), "core"));
}

// What an adaptive search begins with, where it would end by the models, and its bound.
std::string search_text(const CheckAnswer& answer) {
  const Plan& plan = answer.study.plan;
  const FirstRound first = answer.first_round();
  const std::string within = number_text(100 * plan.search.within);
  const bool by_time = plan.search.objective == SearchSpec::Objective::time;
  std::string text =
      plan.search.target == SearchSpec::Target::knee
          ? fmt::format("Adaptive search for the knee (E={}, to within {}% of its K), in rounds. ",
                        number_text(plan.knee.floor), within)
          : fmt::format(
                "Adaptive search for the K to recommend by {} (until no K is better by "
                "more than {}%), in rounds. ",
                by_time        ? "time"
                : answer.price ? "cost"
                               : "node-hours, for want of a price",
                within);
  for (const std::string& words : first.words) text += "Round 0: " + words + ". ";
  text += fmt::format(
      "The next rounds follow from what is measured, and stay on the K of the scale, at most {} "
      "each.",
      counted(plan.repeat.max, "run"));
  std::string out = wrap(text, kTextWidth, 0);
  out += "Round 0: " + to_text(first.estimate, plan.limits.timeout) + ".\n";
  if (answer.search && answer.search->grid_node_seconds > 0) {
    const double share = 100 * answer.search->node_seconds / answer.search->grid_node_seconds;
    out += fmt::format(
        "By the models it ends after {} with {} and {} node-hours, {}% of the full grid's.\n",
        counted(answer.search->rounds, "round"), counted(answer.search->runs, "run"),
        number_text(answer.search->node_seconds / 3600), std::lround(share));
  }
  return out + "Never more than the full grid: ";
}

std::string cost_text(const CheckAnswer& answer) {
  const Plan& plan = answer.study.plan;
  const auto estimate = [&](int repeats) {
    return to_text(estimate_cost(answer.study, repeats, answer.price), plan.limits.timeout) + ".\n";
  };
  std::string text = plan.search.adaptive ? search_text(answer) : "Estimate: ";
  text += estimate(plan.search.adaptive ? plan.repeat.max : plan.repeat.min);
  if (plan.repeat.max > plan.repeat.min && !plan.search.adaptive) {
    text += "With all repeats: " + estimate(plan.repeat.max);
  }
  if (answer.price) {
    text += fmt::format("Billed by item {} of {}{}, each run as a job of its own.\n",
                        answer.price->item.name, answer.price->path,
                        answer.price->example ? " (an example, not today's prices)" : "");
  }
  if (!answer.budget.sentence.empty()) text += "Budget: " + answer.budget.sentence + ".\n";
  for (const std::string& warning : answer.budget.warnings) {
    text += wrap("Warning: " + warning, kTextWidth, 0);
  }
  return text;
}

void put_planned_point(JsonWriter& json, const Point& point, const Plan& plan) {
  json.begin_object().put("key", point.key()).put("build", point.build);
  json.put("workload", point.workload).put("case", point.case_name).put("mode", point.mode);
  json.put("k", point.k).put("nodes", point.shape.nodes).put("ranks", point.shape.ranks);
  json.put("ranks_per_node", point.shape.ranks_per_node);
  json.put("threads_per_rank", point.shape.threads_per_rank);
  json.put("gpus_per_node", point.shape.gpus_per_node);
  json.put("size", when(point.has_size, point.size));
  json.put("runs_min", plan.search.adaptive ? 0 : plan.repeat.min);
  json.put("runs_max", plan.repeat.max).put("held_fixed", point.held_fixed);
  json.put("emulated", point.emulated).put_or_null("modelled_seconds", point.modelled_seconds);
  json.put("command", point.command.argv).end_object();
}

void put_submission(JsonWriter& json, const CheckAnswer& answer) {
  const Submission submission = answer.submission();
  const Shape& largest = submission.largest;
  json.key("submission").begin_object().put("packing", answer.site.packing.mode);
  json.put("runs", submission.runs).put("allocations", submission.allocations);
  json.put("allocations_at_most", submission.allocations_at_most);
  json.put("concurrent", answer.concurrent).put("largest_nodes", largest.nodes);
  json.put("largest_ranks", largest.ranks);
  json.put("largest_cores", submission.largest_is_emulated ? 0 : largest.cpus()).end_object();
}

void put_estimate(JsonWriter& json, const CheckAnswer& answer) {
  const CostEstimate estimate = answer.estimate();
  json.key("estimate").begin_object().put("modelled_runs", estimate.modelled_runs);
  json.put("modelled_node_hours", estimate.modelled_node_hours);
  json.put("bounded_runs", estimate.bounded_runs);
  json.put("bounded_node_hours", estimate.bounded_node_hours);
  if (answer.price) {
    json.put("currency", answer.price->currency);
    json.put("modelled_amount", micros_text(estimate.modelled_money->micros));
    json.put("bounded_amount", micros_text(estimate.bounded_money->micros));
  }
  json.end_object();
}

}  // namespace

std::vector<std::string> sentences_of(const std::vector<Rehearsal>& rehearsals) {
  const auto text = [](const Rehearsal& one) {
    return (one.refused ? "would be refused: " : "") + one.words;
  };
  std::vector<std::string> sentences;
  const bool alike = rehearsals.size() > 1 &&
                     std::all_of(rehearsals.begin(), rehearsals.end(), [&](const Rehearsal& one) {
                       return text(one) == text(rehearsals.front());
                     });
  for (const Rehearsal& one : rehearsals) {
    if (text(one).empty()) continue;
    if (alike) return {"every shape: " + text(one)};
    sentences.push_back(one.what + " " + text(one));
  }
  return sentences;
}

std::string to_text(const CheckAnswer& answer) {
  const Plan& plan = answer.study.plan;
  std::string text = fmt::format(
      "Study {0} (series {0}-{1}, seed {2}) on site {3} (backend {4}: {5} with {6}). K counts "
      "{7}s.\n",
      plan.study, answer.study.hash8, plan.seed, answer.site.name, to_string(answer.site.backend),
      amount(answer.capacity.nodes, "node"), amount(answer.capacity.cores_per_node, "core"),
      to_string(plan.worker));
  for (const auto& group : groups_of(answer.study)) {
    text += "\n" + group_text(group, plan);
  }
  text += "\n" + submission_text(answer);
  text += cost_text(answer);
  for (const std::string& warning : answer.warnings) {
    text += wrap("Warning: " + warning, kTextWidth, 0);
  }
  if (const auto said = sentences_of(answer.rehearsals); !said.empty()) {
    text += fmt::format("What {} says to each shape:\n{}", to_string(answer.site.backend),
                        listed(said));
  }
  if (!answer.live_reports.empty()) {
    text += wrap("Live reports: " + answer.live_reports + ".", kTextWidth, 0);
  }
  if (!answer.refusals.empty()) {
    text += "\n'kneepoint run' would refuse this plan here:\n";
    text += listed(answer.refusals) + kRefusalAdvice;
  }
  if (!answer.budget.refusals.empty()) {
    text += "\nThe plan does not fit its budget; 'kneepoint run' would refuse it:\n";
    for (const std::string& why : answer.budget.refusals) text += wrap(why, kTextWidth, 2);
  }
  if (!answer.emit_folder.empty()) {
    text +=
        fmt::format("Wrote {} into {}.\n",
                    counted(static_cast<long>(answer.emitted.size()), "file"), answer.emit_folder);
  }
  return text;
}

std::string to_json(const CheckAnswer& answer) {
  const Plan& plan = answer.study.plan;
  JsonWriter json;
  json.begin_object().put("study", plan.study).put("hash8", answer.study.hash8);
  json.put("series", plan.study + "-" + answer.study.hash8).put("seed", plan.seed);
  json.put("worker", plan.worker).put("site", answer.site.name);
  json.put("backend", answer.site.backend).key("points").begin_array();
  for (const Point& point : answer.study.points) put_planned_point(json, point, plan);
  json.end_array();
  put_submission(json, answer);
  put_estimate(json, answer);
  json.put("search", plan.search.adaptive ? "adaptive" : "grid");
  if (answer.search) {
    json.key("forecast").begin_object().put("rounds", answer.search->rounds);
    json.put("runs", answer.search->runs);
    json.put("node_hours", answer.search->node_seconds / 3600).end_object();
  }
  json.key("budget").begin_object().put("sentence", answer.budget.sentence);
  json.put("refusals", answer.budget.refusals).put("warnings", answer.budget.warnings);
  json.end_object().put("warnings", answer.warnings).put("refusals", answer.refusals);
  json.put("rehearsals", sentences_of(answer.rehearsals));
  json.put("refused", answer.shape_refused());
  json.put_or_null("live_reports", answer.live_reports);
  json.put("live_reports_refused", answer.live_refused).put("emitted", answer.emitted);
  return json.key("problems").begin_array().end_array().end_object().text() + "\n";
}

}  // namespace kneepoint
