// SPDX-License-Identifier: Apache-2.0
//
// kneepoint recommend: which K to use, by what a result costs.
#include <algorithm>
#include <ostream>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/recommend_text.h"
#include "orchestrator/cli/report_options.h"
#include "orchestrator/cost/cost_curve.h"

namespace kneepoint::cli {
namespace {

Result<double> duration_flag(const std::string& flag, std::string text) {
  double unit = 1;
  if (!text.empty()) {
    unit = text.back() == 'h' ? 3600 : text.back() == 'm' ? 60 : 1;
    if (text.back() == 'h' || text.back() == 'm' || text.back() == 's') text.pop_back();
  }
  TRY_ASSIGN(const double value, positive_number(flag, text));
  return value * unit;
}

Result<std::int64_t> amount_flag(const std::string& flag, const std::string& text) {
  const auto micros = parse_micros(text);
  if (micros && *micros > 0) return *micros;
  return wrong_flag(flag, "expected an amount above 0 such as 2.50, found '" + text + "'");
}

// The objective follows from what was given; two of them contradict each other.
Result<RecommendRequest> request_of(const Arguments& arguments, double floor) {
  RecommendRequest request;
  request.floor = floor;
  int given = 0;
  const auto is = [&](const char* flag, Objective objective) {
    if (!arguments.has(flag)) return false;
    request.objective = objective;
    ++given;
    return true;
  };
  if (is("--deadline", Objective::deadline)) {
    TRY_ASSIGN(request.deadline_seconds, duration_flag("--deadline", arguments.text("--deadline")));
  }
  if (is("--budget", Objective::budget)) {
    TRY_ASSIGN(request.budget_micros, amount_flag("--budget", arguments.text("--budget")));
  }
  if (is("--value-of-hour", Objective::value_of_hour)) {
    TRY_ASSIGN(request.value_of_hour,
               amount_flag("--value-of-hour", arguments.text("--value-of-hour")));
  }
  if (is("--floor", Objective::efficiency)) {
    TRY_ASSIGN(request.floor, positive_number("--floor", arguments.text("--floor"), true));
    if (request.floor >= 1) return wrong_flag("--floor", "expected a share below 1");
  }
  if (arguments.has("--objective")) {
    ++given;
    const std::string word = arguments.text("--objective");
    request.objective = word == "time"           ? Objective::time
                        : word == "efficiency"   ? Objective::efficiency
                        : word == "energy_delay" ? Objective::energy_delay
                                                 : Objective::cost;
  }
  if (given > 1) {
    return Error{ErrorCode::invalid,
                 "--objective, --deadline, --budget, --floor and --value-of-hour each say what is "
                 "best; give one"};
  }
  return request;
}

// A table of speedups has no seconds: prices need to know how long the baseline takes.
Result<void> bring_to_seconds(StudyEvidence& evidence, const std::string& baseline) {
  if (!is_relative(evidence)) {
    if (baseline.empty()) return {};
    return wrong_flag("--baseline", "is for studies that were imported without times");
  }
  if (baseline.empty()) {
    return wrong_flag("--baseline",
                      "missing; " + evidence.id +
                          " holds speedups without times, so say how long the smallest K takes, "
                          "such as --baseline 2h");
  }
  TRY_ASSIGN(const double seconds, duration_flag("--baseline", baseline));
  for (PointEvidence& point : evidence.points) {
    for (RunEvidence& run : point.runs) run.seconds *= seconds;
  }
  std::erase_if(evidence.caveats, [](const Caveat& caveat) {
    return caveat.code == "speedup_only" || caveat.code == "efficiency_only";
  });
  evidence.caveats.push_back(
      {"baseline_given", "The table holds speedups only: every time follows from --baseline."});
  return {};
}

// What a report would say of the study before its numbers.
void add_caveats(const StudyEvidence& evidence, std::vector<Caveat>& caveats) {
  if (evidence.backend == "simulated") {
    caveats.push_back(
        {"simulated", "Simulated: the times come from formulas, no machine was measured."});
  }
  if (evidence.state != "finished" && evidence.backend != "import") {
    caveats.push_back({"unfinished", "The study is " + evidence.state + ": more runs may come."});
  }
}

Result<int> run_recommend(Session& session, const Arguments& arguments) {
  RecommendAnswer answer;
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  TRY_ASSIGN(const std::optional<Prices> given, prices_of(price_choice(arguments), row));
  const Prices prices = given ? *given : node_hour_prices();
  answer.book = prices.book;
  answer.item = prices.item;
  TRY_ASSIGN(StudyEvidence evidence, store->evidence(row.row));
  TRY(bring_to_seconds(evidence, arguments.text("--baseline")));
  TRY_ASSIGN(answer.request, request_of(arguments, evidence.knee_floor));
  TRY(check(answer.request, answer.item));
  AnalysisOptions options = analysis_options();
  options.bootstrap.seed = evidence.seed;
  answer.study = evidence.id;
  answer.caveats = evidence.caveats;
  add_caveats(evidence, answer.caveats);
  const StudyAnalysis analysis = analyse(evidence, options);
  const auto mode = parse_mode(arguments.text("--mode"));
  for (CostCurve& curve :
       cost_curves(evidence, analysis, answer.book, answer.item, options.bootstrap)) {
    if (mode && curve.mode != *mode) continue;
    if (arguments.has("--case") && curve.case_name != arguments.text("--case")) continue;
    if (arguments.has("--modelled")) {
      add_modelled(analysis.curves[curve.index], answer.book, answer.item, options.bootstrap,
                   curve);
    }
    answer.curves.push_back(std::move(curve));
  }
  const auto asked_for = [&](const Curve& curve) {
    return (!mode || curve.mode == *mode) &&
           (!arguments.has("--case") || curve.case_name == arguments.text("--case")) &&
           std::any_of(curve.points.begin(), curve.points.end(),
                       [](const PointSummary& point) { return point.valid > 0; });
  };
  if (answer.curves.empty() &&
      std::any_of(analysis.summary.curves.begin(), analysis.summary.curves.end(), asked_for)) {
    return Error{ErrorCode::invalid,
                 evidence.id + " has valid runs, but none that can be billed by item '" +
                     answer.item.name +
                     "': they last longer than ten years, would never end for interruptions, or "
                     "cost more than can be written down. Are their times in the right unit?"};
  }
  if (answer.curves.empty()) {
    return Error{ErrorCode::not_found, evidence.id + " has no such curve with a valid run"};
  }
  bool any = false;
  for (const CostCurve& curve : answer.curves) {
    answer.choices.push_back(recommend(curve, answer.item, answer.request));
    any = any || answer.choices.back().chosen != nullptr;
  }
  session.out << (session.json ? recommend_json(answer) + "\n"
                               : recommend_text(answer, predict_width(session)));
  return any ? kExitDone : kExitNegative;
}

}  // namespace

CommandSpec recommend_command() {
  return {"recommend",
          "Say which K to use, and what a result costs",
          "For every curve of a study: the measured (or with --modelled also the modelled) K that "
          "is best by what you ask for, its time "
          "and the cost of a result with intervals, the runner-up and by how much it is worse, or "
          "that the runs can't tell. Without prices a node-hour stands for money. Exit code 1 "
          "if no K does what was asked for.",
          {{"STUDY",
            "Id, unique prefix or name (default: the newest study)",
            false,
            {},
            Completes::studies}},
          with_price_flags(
              {{"--objective",
                "WORD",
                "What is best (default: cost)",
                {"cost", "time", "efficiency", "energy_delay"}},
               {"--deadline", "TIME", "Cheapest K within 90s, 15m or 2h"},
               {"--budget", "AMOUNT", "Fastest K whose result costs at most this"},
               {"--floor", "SHARE", "Largest K with at least this efficiency, such as 0.8"},
               {"--value-of-hour", "AMOUNT", "Cheapest K if an hour of waiting is worth this"},
               {"--baseline", "TIME", "How long the smallest K of imported speedups takes"},
               {"--modelled", "", "Also K that models predict, marked, up to 4 times the largest"},
               {"--mode", "MODE", "Only this one", {"strong", "weak"}},
               {"--case", "NAME", "Only this case"}}),
          {"kneepoint recommend",
           "kneepoint recommend jacobi --prices plans/prices/example.yaml --item c-large",
           "kneepoint recommend jacobi --prices plans/prices/example.yaml --item c-large "
           "--deadline 10m"},
          run_recommend};
}

}  // namespace kneepoint::cli
