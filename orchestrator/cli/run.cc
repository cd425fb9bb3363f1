// SPDX-License-Identifier: Apache-2.0
//
// kneepoint run: starts a study or goes on with it, and ends with the report. The order of things
// matters: all that can be refused is refused before anything is written.
#include <csignal>
#include <filesystem>
#include <ostream>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/budget.h"
#include "orchestrator/cli/choose_study.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/controller.h"
#include "orchestrator/cli/detach.h"
#include "orchestrator/cli/estimate.h"
#include "orchestrator/cli/input_files.h"
#include "orchestrator/cli/live_reports.h"
#include "orchestrator/cli/loading.h"
#include "orchestrator/cli/lookup.h"
#include "orchestrator/cli/report_options.h"
#include "orchestrator/cli/run_view.h"
#include "orchestrator/cli/study_price.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/report/document.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

// The command that goes on where this one stops.
std::string resume_command(const Session& session, const Arguments& arguments) {
  std::string text = "kneepoint run " + arguments.text("PLAN");
  for (const char* flag : {"--site", "--prices", "--item"}) {
    if (arguments.has(flag)) text += std::string(" ") + flag + " " + arguments.text(flag);
  }
  if (!session.database_flag.empty()) text += " --db " + session.database_flag;
  return text;
}

int refuse(Session& session, const std::string& plan, const std::vector<std::string>& refused) {
  session.err << "kneepoint: run: " << plan << " does not fit this site; nothing was started\n"
              << listed(refused) << kRefusalAdvice;
  return kExitUsage;
}

int refuse_budget(Session& session, const std::string& plan, const BudgetAnswer& budget) {
  session.err << "kneepoint: run: " << plan << " does not fit its budget; nothing was started\n";
  for (const std::string& why : budget.refusals) session.err << wrap(why, 100, 2);
  return kExitUsage;
}

// What it may cost, before it costs anything.
void show_estimate(Session& session, const Study& study, const BudgetAnswer& budget,
                   const std::optional<StudyPrice>& price) {
  const bool adaptive = study.plan.search.adaptive;
  const int repeats = adaptive ? study.plan.repeat.max : study.plan.repeat.min;
  session.err << (adaptive ? "estimate: never more than the full grid, " : "estimate: ")
              << to_text(estimate_cost(study, repeats, price), study.plan.limits.timeout) << "\n";
  if (!budget.sentence.empty()) session.err << "budget: " << budget.sentence << "\n";
  for (const std::string& warning : budget.warnings) {
    session.err << wrap("warning: " + warning, 100, 0);
  }
  session.err << std::flush;
}

const char* word_of(EngineEnd end) {
  switch (end) {
    case EngineEnd::finished:
      return "finished";
    case EngineEnd::interrupted:
      return "interrupted";
    case EngineEnd::cancelled:
      return "cancelled";
    case EngineEnd::over_budget:
      return "over_budget";
  }
  return "";
}

int exit_code_of_study(EngineEnd end, const StudySummary& summary, int failed) {
  if (end == EngineEnd::interrupted || end == EngineEnd::cancelled) return kExitInterrupted;
  if (end == EngineEnd::over_budget) return kExitRunsFailed;
  const bool red = failed > 0 || !summary.anything_ran || !summary.all_points_have_data;
  return red ? kExitRunsFailed : kExitDone;
}

// The answer: the report, how it ended, and where to look next.
Result<int> conclude(Session& session, const Arguments& arguments, StudyStore& store,
                     const StudyRow& row, const std::string& end_word, EngineEnd end,
                     const std::string& why = "") {
  TRY_ASSIGN(StudyEvidence evidence, store.evidence_in_detail(row.row));
  int failed = 0, open = 0, total = 0;
  for (const PointEvidence& point : evidence.points) {
    for (const RunEvidence& run : point.runs) {
      ++total;
      open += run.finished ? 0 : 1;
      failed += run.finished && run.state != AttemptState::succeeded ? 1 : 0;
    }
  }
  const Document document = make_document(std::move(evidence), analysis_options());
  const int code = exit_code_of_study(end, document.summary(), failed);
  if (session.json) {
    JsonWriter json;
    json.begin_object();
    json.key("study").value(row.id);
    json.key("end").value(end_word);
    json.key("runs").value(total);
    json.key("failed").value(failed);
    json.key("unfinished").value(open);
    json.key("exit_code").value(code);
    json.key("work_dir").value(row.work_dir);
    json.key("report").raw(to_json(document));
    json.end_object();
    session.out << json.text() << "\n";
  } else {
    session.out << to_terminal(document, {session.color(session.out_is_terminal), session.width(),
                                          /*brief=*/true})
                << std::flush;
  }
  const std::string resume = resume_command(session, arguments);
  if (end == EngineEnd::interrupted) {
    session.err << "kneepoint: run: interrupted with " << open
                << " runs to go; nothing is lost. Go on with: " << resume << "\n";
  } else if (end == EngineEnd::cancelled) {
    session.err << "kneepoint: run: cancelled on request with " << open
                << " runs to go. Go on with: " << resume << "\n";
  } else if (end == EngineEnd::over_budget) {
    session.err << "kneepoint: run: stopped before " << why << ", with " << open
                << " runs to go. Raise it in limits.budget, then: " << resume << "\n";
  } else if (code == kExitRunsFailed) {
    session.err << "kneepoint: run: " << failed << " of " << total
                << " runs failed. Why: kneepoint status " << row.id << "; again: " << resume
                << " --retry-failed\n";
  }
  if (!session.json) {
    session.err << "report: kneepoint report " << row.id << " (--markdown, --csv, --json)\n"
                << "files:  " << row.work_dir << "\n";
  }
  return code;
}

Result<int> run(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(PlanOnSite both,
             read_plan_on_site(session, arguments.text("PLAN"), arguments.text("--site")));
  if (!both.problems.empty()) return report_problems(session, both.problems);
  const Site& site = *both.site;
  const std::string here = fs::current_path().string();
  TRY_ASSIGN(const std::string database, database_of(session));
  const std::string root = work_root(site, database, here);

  TRY_ASSIGN(const Capabilities capabilities, capabilities_of(session, site, root));
  const Expanded expanded = expand_plan(session, both, capabilities);
  if (!expanded.problems.empty()) return report_problems(session, expanded.problems);
  const Study& study = expanded.study;
  const auto refused = refusals(study, site.limits, capabilities);
  if (!refused.empty()) return refuse(session, arguments.text("PLAN"), refused);

  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const auto newest, store->newest_of_series(study.plan.study, study.hash8));
  const bool goes_on = newest && !arguments.has("--new");
  TRY_ASSIGN(const PriceFound found, price_of_study(arguments, site, goes_on ? &*newest : nullptr));
  if (!found.problems.empty()) return report_problems(session, found.problems);
  std::optional<StudyPrice> price;
  if (found.price) price = found.price->price;
  const BudgetAnswer budget = fit_budget(study, site.limits, price);
  if (!budget.refusals.empty()) return refuse_budget(session, arguments.text("PLAN"), budget);
  const Wishes wishes{arguments.has("--new"), arguments.has("--retry-failed")};
  TRY_ASSIGN(const ChosenStudy chosen, choose_study(*store, study, site, root, wishes));
  if (chosen.choice == Choice::nothing) {
    session.err << sentence_of(chosen) << "; start another with --new.\n";
    return conclude(session, arguments, *store, chosen.row, "already_finished",
                    EngineEnd::finished);
  }
  if (arguments.has("--detach")) {
    return start_detached(session, *store, chosen.row, database, arguments);
  }

  TRY_ASSIGN(const HeldLease lease, HeldLease::take(*store, chosen.row, session.clock));
  TRY(store->update_study_plan(chosen.row.row, study));
  TRY(stage_inputs(study.plan, chosen.row.work_dir));
  if (chosen.choice == Choice::reopen) TRY(store->reopen_failed_runs(chosen.row.row));
  if (found.price) TRY(store->set_study_price(chosen.row.row, found.price->source));
  session.err << sentence_of(chosen) << std::endl;
  show_estimate(session, study, budget, price);
  TRY_ASSIGN(const SiteAccess access, reach_site(session, site, chosen.row.work_dir));
  TRY(access.poller->take_signals());
  std::signal(SIGPIPE, SIG_IGN);  // whoever read our lines is gone; the study goes on
  RunView view(session, *store, chosen.row.row);
  EngineOptions options;
  options.concurrent = arguments.count("--concurrent");
  options.lease = lease.lease();
  options.price = price;
  TRY_ASSIGN(auto endpoint, open_live_reports(session, site, database, chosen.row, options));
  view.attach(options);
  auto outcome = run_study(*store, chosen.row, study, site, *access.launcher, *access.poller,
                           session.clock, options);
  view.finish();
  endpoint.reset();
  if (!outcome) return outcome.error().in(chosen.row.id);
  if (outcome->end == EngineEnd::finished) forget_live_reports(database, chosen.row);
  return conclude(session, arguments, *store, chosen.row, word_of(outcome->end), outcome->end,
                  outcome->why);
}

}  // namespace

CommandSpec run_command() {
  return {"run",
          "Run a plan to its end, or go on with it",
          "Starts a study of the plan on the site, or goes on with the newest one of its series "
          "that is unfinished; a plan that asks for more repeats or K extends a finished study. "
          "Ends with the report. Ctrl-C once lets active runs end and stops; twice cancels them; "
          "running again resumes. Where there is a queue (Slurm), Ctrl-C stops at once and leaves "
          "queued and running jobs there, for the next `kneepoint run` to adopt; `kneepoint cancel "
          "STUDY` takes them out. A plan that can't fit its budget is refused; at the budget "
          "(limits.budget) no further run starts, and running again with a larger one resumes. "
          "Exits with 4 if a run failed, a point has no data, or the budget is used up.",
          {{"PLAN", "The plan file", true, {}, Completes::files}},
          with_price_flags(
              {{"--site",
                "FILE",
                "Where to run (default: KNEEPOINT_SITE, else this machine)",
                {},
                false,
                Completes::files},
               {"--new", "", "Start another study of the series, even if one is unfinished"},
               {"--detach", "", "Return at once and run in the background"},
               {"--retry-failed", "", "Try the failed runs of the newest study again"},
               {"--concurrent",
                "N",
                "Allocations at a time (the site's limit is never passed)",
                {},
                true}}),
          {"kneepoint run plans/quickstart.yaml",
           "kneepoint run plans/jacobi.yaml --site plans/sites/simulated.yaml --new --detach"},
          run};
}

}  // namespace kneepoint::cli
