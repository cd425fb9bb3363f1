// SPDX-License-Identifier: Apache-2.0
//
// kneepoint recommend: which K to use, by what a result costs.
#include "orchestrator/answers/study/recommend.h"

#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {
namespace {

constexpr Objective kNamedObjectives[] = {Objective::cost, Objective::time, Objective::efficiency,
                                          Objective::energy_delay};

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
Result<void> read_objective(const Arguments& arguments, StudyRecommendRequest& request) {
  RecommendRequest& wanted = request.wanted;
  int given = 0;
  const auto is = [&](const char* flag, Objective objective) {
    if (!arguments.has(flag)) return false;
    wanted.objective = objective;
    ++given;
    return true;
  };
  if (is("--deadline", Objective::deadline)) {
    TRY_ASSIGN(wanted.deadline_seconds, duration_flag("--deadline", arguments.text("--deadline")));
  }
  if (is("--budget", Objective::budget)) {
    TRY_ASSIGN(wanted.budget_micros, amount_flag("--budget", arguments.text("--budget")));
  }
  if (is("--value-of-hour", Objective::value_of_hour)) {
    TRY_ASSIGN(wanted.value_of_hour,
               amount_flag("--value-of-hour", arguments.text("--value-of-hour")));
  }
  is("--floor", Objective::efficiency);
  TRY_ASSIGN(request.floor, floor_flag(arguments));
  const std::string word = arguments.text("--objective");
  for (const Objective objective : kNamedObjectives) {
    if (word == to_string(objective)) is("--objective", objective);
  }
  if (given > 1) {
    return Error{ErrorCode::invalid,
                 "--objective, --deadline, --budget, --floor and --value-of-hour each say what is "
                 "best; give one"};
  }
  return {};
}

Result<int> run_recommend(Session& session, const Arguments& arguments) {
  StudyRecommendRequest request;
  request.study = arguments.text("STUDY");
  request.prices = price_choice(arguments);
  TRY(read_objective(arguments, request));
  if (arguments.has("--baseline")) {
    TRY_ASSIGN(request.baseline_seconds, duration_flag("--baseline", arguments.text("--baseline")));
  }
  request.mode = parse_mode(arguments.text("--mode"));
  if (arguments.has("--case")) request.case_name = arguments.text("--case");
  request.modelled = arguments.has("--modelled");
  TRY_ASSIGN(const RecommendAnswer answer, recommend_study(session, request));
  show(session, answer, kIndented);
  return answer.any() ? kExitDone : kExitNegative;
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
          {study_or_newest()},
          with_price_flags(
              {choice_flag("--objective", "WORD", "What is best (default: cost)",
                           {"cost", "time", "efficiency", "energy_delay"}),
               {"--deadline", "TIME", "Cheapest K within 90s, 15m or 2h"},
               {"--budget", "AMOUNT", "Fastest K whose result costs at most this"},
               {"--floor", "SHARE", "Largest K with at least this efficiency, such as 0.8"},
               {"--value-of-hour", "AMOUNT", "Cheapest K if an hour of waiting is worth this"},
               {"--baseline", "TIME", "How long the smallest K of imported speedups takes"},
               {"--modelled", "", "Also K that models predict, marked, up to 4 times the largest"},
               mode_flag("Only this one"),
               {"--case", "NAME", "Only this case"}}),
          {"kneepoint recommend",
           "kneepoint recommend jacobi --prices plans/prices/example.yaml --item c-large",
           "kneepoint recommend jacobi --prices plans/prices/example.yaml --item c-large "
           "--deadline 10m"},
          run_recommend};
}

}  // namespace kneepoint::cli
