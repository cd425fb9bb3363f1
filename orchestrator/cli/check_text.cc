// SPDX-License-Identifier: Apache-2.0
//
// One table per case and mode: what is held fixed stands above it.
#include "orchestrator/cli/check_text.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/estimate.h"
#include "orchestrator/cli/loading.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/engine/rounds.h"

namespace kneepoint::cli {
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
  std::string text = point.case_name;
  if (point.build != "default") text += " (build " + point.build + ")";
  return text + ", " + to_string(point.mode);
}

// Points in plan order, gathered by case and mode.
std::vector<std::vector<const Point*>> groups_of(const Study& study) {
  std::vector<std::string> names;
  std::vector<std::vector<const Point*>> groups;
  for (const Point& point : study.points) {
    const std::string name = group_of(point);
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    if (at == static_cast<std::ptrdiff_t>(names.size())) {
      names.push_back(name);
      groups.emplace_back();
    }
    groups[static_cast<std::size_t>(at)].push_back(&point);
  }
  return groups;
}

std::string group_text(const std::vector<const Point*>& points, const Plan& plan) {
  const Point& first = *points.front();
  std::string text = group_of(first);
  const bool same = std::all_of(points.begin(), points.end(), [&](const Point* point) {
    return point->held_fixed == first.held_fixed;
  });
  if (same && !first.held_fixed.empty()) text += "; held fixed: " + first.held_fixed;
  if (first.emulated) text += "; emulated (sleeps, takes no core)";
  text += "\n";
  std::vector<Column> columns = {{"K", Align::right},     {"nodes", Align::right},
                                 {"ranks", Align::right}, {"threads", Align::right},
                                 {"size", Align::right},  {"runs", Align::right}};
  if (!same) columns.push_back({"held fixed"});
  std::vector<std::vector<std::string>> rows;
  for (const Point* point : points) {
    rows.push_back({std::to_string(point->k), std::to_string(point->shape.nodes),
                    std::to_string(point->shape.ranks),
                    std::to_string(point->shape.threads_per_rank), size_text(*point),
                    repeats_text(plan)});
    if (!same) rows.back().push_back(point->held_fixed);
  }
  return text + to_table(columns, rows, 2);
}

std::string amount(int number, const std::string& noun) {
  return number > 0 ? counted(number, noun) : "an unknown number of " + noun + "s";
}

Submission submission_of(const CheckAnswer& answer) {
  return cli::submission_of(answer.study, answer.site.packing, answer.concurrent,
                            answer.capacity.nodes);
}

std::string submission_text(const CheckAnswer& answer) {
  const Submission submission = submission_of(answer);
  std::string text = "Would submit " + counted(submission.allocations, "allocation");
  if (answer.study.plan.search.adaptive) text += " in round 0";
  if (answer.site.packing.mode == PackingMode::packed) {
    text += " that " + std::string(submission.allocations == 1 ? "holds" : "hold") + " all " +
            counted(submission.runs, "run") + " (packed)";
  }
  if (submission.allocations_at_most > submission.allocations) {
    text += " (up to " + std::to_string(submission.allocations_at_most) +
            " while efficiency is too uncertain)";
  }
  return text + ", at most " + std::to_string(answer.concurrent) +
         " at a time; the largest: " + counted(submission.largest.nodes, "node") + ", " +
         counted(submission.largest.ranks, "rank") + ", " +
         (submission.largest_is_emulated ? "no core (emulated)"
                                         : counted(submission.largest.cpus(), "core")) +
         ".\n";
}

// What an adaptive search begins with, where it would end by the models, and its bound.
std::string search_text(const CheckAnswer& answer) {
  const Plan& plan = answer.study.plan;
  const Round first = first_of(answer.study);
  const std::string within = number_text(100 * plan.search.within) + "%";
  const bool by_time = plan.search.objective == SearchSpec::Objective::time;
  std::string text = plan.search.target == SearchSpec::Target::knee
                         ? "Adaptive search for the knee (E=" + number_text(plan.knee.floor) +
                               ", to within " + within + " of its K), in rounds. "
                         : std::string("Adaptive search for the K to recommend by ") +
                               (by_time        ? "time"
                                : answer.price ? "cost"
                                               : "node-hours, for want of a price") +
                               " (until no K is better by more than " + within + "), in rounds. ";
  for (const std::string& words : first.words) text += "Round 0: " + words + ". ";
  text += "The next rounds follow from what is measured, and stay on the K of the scale, at most " +
          counted(plan.repeat.max, "run") + " each.";
  std::string out = wrap(text, kTextWidth, 0);
  out += "Round 0: " +
         to_text(estimate_runs(answer.study, first.runs, answer.price), plan.limits.timeout) +
         ".\n";
  if (answer.search && answer.search->grid_node_seconds > 0) {
    const double share = 100 * answer.search->node_seconds / answer.search->grid_node_seconds;
    out += "By the models it ends after " + counted(answer.search->rounds, "round") + " with " +
           counted(answer.search->runs, "run") + " and " +
           number_text(answer.search->node_seconds / 3600) + " node-hours, " +
           std::to_string(std::lround(share)) + "% of the full grid's.\n";
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
    text += "Billed by item " + answer.price->item.name + " of " + answer.price->path +
            (answer.price->example ? " (an example, not today's prices)" : "") +
            ", each run as a job of its own.\n";
  }
  if (!answer.budget.sentence.empty()) text += "Budget: " + answer.budget.sentence + ".\n";
  for (const std::string& warning : answer.budget.warnings) {
    text += wrap("Warning: " + warning, kTextWidth, 0);
  }
  return text;
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
  std::string text = "Study " + plan.study + " (series " + plan.study + "-" + answer.study.hash8 +
                     ", seed " + std::to_string(plan.seed) + ") on site " + answer.site.name +
                     " (backend " + to_string(answer.site.backend) + ": " +
                     amount(answer.capacity.nodes, "node") + " with " +
                     amount(answer.capacity.cores_per_node, "core") + "). K counts " +
                     to_string(plan.worker) + "s.\n";
  for (const auto& group : groups_of(answer.study)) {
    text += "\n" + group_text(group, plan);
  }
  text += "\n" + submission_text(answer);
  text += cost_text(answer);
  for (const std::string& warning : answer.warnings) {
    text += wrap("Warning: " + warning, kTextWidth, 0);
  }
  if (const auto said = sentences_of(answer.rehearsals); !said.empty()) {
    text += std::string("What ") + to_string(answer.site.backend) + " says to each shape:\n";
    text += listed(said);
  }
  if (!answer.live_reports.empty()) {
    text += wrap("Live reports: " + answer.live_reports + ".", kTextWidth, 0);
  }
  if (!answer.refusals.empty()) {
    text += "\n'kneepoint run' would refuse this plan here:\n";
    text += listed(answer.refusals);
    text += kRefusalAdvice;
  }
  if (!answer.budget.refusals.empty()) {
    text += "\nThe plan does not fit its budget; 'kneepoint run' would refuse it:\n";
    for (const std::string& why : answer.budget.refusals) text += wrap(why, kTextWidth, 2);
  }
  if (!answer.emit_folder.empty()) {
    text += "Wrote " + counted(static_cast<long>(answer.emitted.size()), "file") + " into " +
            answer.emit_folder + ".\n";
  }
  return text;
}

std::string to_json(const CheckAnswer& answer) {
  const Plan& plan = answer.study.plan;
  const auto strings = [](JsonWriter& json, const std::vector<std::string>& items) {
    json.begin_array();
    for (const std::string& item : items) json.value(item);
    json.end_array();
  };
  JsonWriter json;
  json.begin_object();
  json.key("study").value(plan.study);
  json.key("hash8").value(answer.study.hash8);
  json.key("series").value(plan.study + "-" + answer.study.hash8);
  json.key("seed").value(plan.seed);
  json.key("worker").value(to_string(plan.worker));
  json.key("site").value(answer.site.name);
  json.key("backend").value(to_string(answer.site.backend));
  json.key("points").begin_array();
  for (const Point& point : answer.study.points) {
    json.begin_object();
    json.key("key").value(point.key());
    json.key("build").value(point.build);
    json.key("workload").value(point.workload);
    json.key("case").value(point.case_name);
    json.key("mode").value(to_string(point.mode));
    json.key("k").value(point.k);
    json.key("nodes").value(point.shape.nodes);
    json.key("ranks").value(point.shape.ranks);
    json.key("ranks_per_node").value(point.shape.ranks_per_node);
    json.key("threads_per_rank").value(point.shape.threads_per_rank);
    json.key("gpus_per_node").value(point.shape.gpus_per_node);
    json.key("size");
    point.has_size ? json.value(point.size) : json.null();
    json.key("runs_min").value(plan.search.adaptive ? 0 : plan.repeat.min);
    json.key("runs_max").value(plan.repeat.max);
    json.key("held_fixed").value(point.held_fixed);
    json.key("emulated").value(point.emulated);
    json.key("modelled_seconds");
    point.modelled_seconds > 0 ? json.value(point.modelled_seconds) : json.null();
    json.key("command");
    strings(json, point.command.argv);
    json.end_object();
  }
  json.end_array();
  const Submission submission = submission_of(answer);
  json.key("submission").begin_object();
  json.key("packing").value(to_string(answer.site.packing.mode));
  json.key("runs").value(submission.runs);
  json.key("allocations").value(submission.allocations);
  json.key("allocations_at_most").value(submission.allocations_at_most);
  json.key("concurrent").value(answer.concurrent);
  json.key("largest_nodes").value(submission.largest.nodes);
  json.key("largest_ranks").value(submission.largest.ranks);
  json.key("largest_cores").value(submission.largest_is_emulated ? 0 : submission.largest.cpus());
  json.end_object();
  const CostEstimate estimate = estimate_cost(
      answer.study, plan.search.adaptive ? plan.repeat.max : plan.repeat.min, answer.price);
  json.key("estimate").begin_object();
  json.key("modelled_runs").value(estimate.modelled_runs);
  json.key("modelled_node_hours").value(estimate.modelled_node_hours);
  json.key("bounded_runs").value(estimate.bounded_runs);
  json.key("bounded_node_hours").value(estimate.bounded_node_hours);
  if (answer.price) {
    json.key("currency").value(answer.price->currency);
    json.key("modelled_amount").value(micros_text(estimate.modelled_money->micros));
    json.key("bounded_amount").value(micros_text(estimate.bounded_money->micros));
  }
  json.end_object();
  json.key("search").value(plan.search.adaptive ? "adaptive" : "grid");
  if (answer.search) {
    json.key("forecast").begin_object();
    json.key("rounds").value(answer.search->rounds);
    json.key("runs").value(answer.search->runs);
    json.key("node_hours").value(answer.search->node_seconds / 3600);
    json.end_object();
  }
  json.key("budget").begin_object();
  json.key("sentence").value(answer.budget.sentence);
  json.key("refusals");
  strings(json, answer.budget.refusals);
  json.key("warnings");
  strings(json, answer.budget.warnings);
  json.end_object();
  json.key("warnings");
  strings(json, answer.warnings);
  json.key("refusals");
  strings(json, answer.refusals);
  json.key("rehearsals");
  strings(json, sentences_of(answer.rehearsals));
  json.key("refused").value(std::any_of(answer.rehearsals.begin(), answer.rehearsals.end(),
                                        [](const Rehearsal& one) { return one.refused; }));
  json.key("live_reports");
  answer.live_reports.empty() ? json.null() : json.value(answer.live_reports);
  json.key("live_reports_refused").value(answer.live_refused);
  json.key("emitted");
  strings(json, answer.emitted);
  json.key("problems").begin_array().end_array();
  json.end_object();
  return json.text() + "\n";
}

}  // namespace kneepoint::cli
