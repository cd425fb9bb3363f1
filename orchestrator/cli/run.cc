// SPDX-License-Identifier: Apache-2.0
//
// kneepoint run: starts a study or goes on with it, and ends with the report. The order of things
// matters: all that can be refused is refused before anything is written.
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/builds.h"
#include "orchestrator/answers/choose_study.h"
#include "orchestrator/answers/estimate.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/answers/study/report.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/running.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/plan/plan/builds.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

// The command that goes on where this one stops.
std::string resume_command(const Session& session, const RunRequest& request) {
  std::string text =
      "kneepoint run " + (request.resume.empty() ? request.plan : "--resume " + request.resume);
  if (!request.site.empty()) text += " --site " + request.site;
  if (request.prices.book) text += " --prices " + *request.prices.book;
  if (request.prices.item) text += " --item " + *request.prices.item;
  for (const std::string& build : request.builds) text += " --ab " + build;
  if (!session.database.empty()) text += " --db " + session.database;
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
Result<int> conclude(Session& session, const RunRequest& request, StudyStore& store,
                     const StudyRow& row, const std::string& end_word, EngineEnd end,
                     const GateOptions& gate, const std::string& why = "") {
  TRY_ASSIGN(StudyEvidence evidence, store.evidence_in_detail(row.row));
  int failed = 0, open = 0, total = 0;
  for (const PointEvidence& point : evidence.points) {
    for (const RunEvidence& run : point.runs) {
      ++total;
      open += run.finished ? 0 : 1;
      failed += run.finished && run.state != AttemptState::succeeded ? 1 : 0;
    }
  }
  TRY_ASSIGN(const StudyRow now, find_study(store, row.id));
  const Document document =
      make_document(analyse_priced(std::move(evidence), prices_of(now.price), gate));
  const auto& builds = document.analysis.builds;
  const int of_runs = exit_code_of_study(end, document.summary(), failed);
  const bool slower = builds && builds->verdict == Verdict::regressed;
  const int code = of_runs == kExitDone && slower ? kExitNegative : of_runs;
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("study", row.id).put("end", end_word).put("runs", total);
    json.put("failed", failed).put("unfinished", open).put("exit_code", code);
    json.put("work_dir", row.work_dir).key("report").raw(to_json(document)).end_object();
    session.out << json.text() << "\n";
  } else if (builds && end == EngineEnd::finished) {
    session.out << to_build_text(row.id, *builds, session.width()) << std::flush;
  } else {
    session.out << to_terminal(document, {session.color(session.out_is_terminal), session.width(),
                                          /*brief=*/true, shows_unicode(session)})
                << std::flush;
  }
  const std::string resume = resume_command(session, request);
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

// A plan on its site, or the study that is to go on.
Result<PlanOnSite> plan_to_run(const Session& session, const RunRequest& request) {
  if (request.resume.empty()) {
    if (!request.plan.empty()) return read_plan_on_site(session, request.plan, request.site);
    return Error{ErrorCode::invalid, "PLAN is missing; see 'kneepoint run --help'"};
  }
  for (const auto& [other, is_given] :
       {std::pair{"PLAN", !request.plan.empty()}, std::pair{"--site", !request.site.empty()},
        std::pair{"--new", request.make_new}, std::pair{"--ab", !request.builds.empty()}}) {
    if (!is_given) continue;
    return Error{ErrorCode::invalid,
                 std::string("--resume takes all from the study; leave ") + other + " out"};
  }
  return plan_to_resume(session, request.resume);
}

Result<void> take_builds(const RunRequest& request, const std::string& here, PlanOnSite& both) {
  TRY_ASSIGN(std::vector<Build> builds, read_builds(request.builds, both.plan, *both.site, here));
  put_in_turns(both, std::move(builds), kTurnsSuffix);
  return {};
}

}  // namespace

Session inner_session(const Session& session, std::ostream& out, std::ostream& err) {
  Session inner{session, out, err};
  inner.executable = session.executable;
  inner.database = session.database;
  inner.log_level = session.log_level;
  inner.log_format = session.log_format;
  inner.no_color = true;
  return inner;
}

Result<int> run_plan(Session& session, const RunRequest& request, std::string& study_id) {
  TRY_ASSIGN(PlanOnSite both, plan_to_run(session, request));
  if (!both.problems.empty()) return report_problems(session, both.problems);
  both.plan.study += request.name_ending;
  const std::string here = fs::current_path().string();
  if (!request.builds.empty()) TRY(take_builds(request, here, both));
  const bool in_turns = !both.plan.builds.empty();  // --resume may have found some
  if (in_turns && request.concurrent > 0) {
    return Error{ErrorCode::invalid,
                 "--concurrent: with --ab runs come one after the other, so that both builds see "
                 "the same machine"};
  }
  std::vector<Problem> unfit = check_builds(both.plan);
  locate(unfit, both.origins);
  if (!unfit.empty()) return report_problems(session, unfit);
  const Site& site = *both.site;
  TRY_ASSIGN(const std::string database, database_of(session));
  const std::string root = work_root(site, database, here);

  TRY_ASSIGN(const SiteAccess access, reach_site_to_run(session, site));
  const Capabilities& capabilities = access.capabilities;
  const Expanded expanded = expand_plan(session, both, capabilities);
  if (!expanded.problems.empty()) return report_problems(session, expanded.problems);
  const Study& study = expanded.study;
  const auto refused = refusals(study, site.limits, capabilities);
  if (!refused.empty()) return refuse(session, request.plan, refused);

  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const auto newest, store->newest_of_series(study.plan.study, study.hash8));
  if (!request.resume.empty()) TRY(check_resumed(*store, request.resume, newest));
  const bool goes_on = newest && !request.make_new;
  TRY_ASSIGN(const PriceFound found,
             price_of_study(request.prices, site, goes_on ? &*newest : nullptr));
  if (!found.problems.empty()) return report_problems(session, found.problems);
  std::optional<StudyPrice> price;
  if (found.price) price = found.price->price;
  if (price && goes_on) TRY(check_currency(*store, *newest, *price));
  const BudgetAnswer budget = fit_budget(study, site.limits, price, capabilities.overrun);
  if (!budget.refusals.empty()) return refuse_budget(session, request.plan, budget);
  const ChoiceRequest choice{request.make_new, request.retry_failed, request.night_began};
  TRY_ASSIGN(const ChosenStudy chosen, choose_study(*store, study, site, root, choice));
  study_id = chosen.row.id;
  if (chosen.choice == Continuation::nothing) {
    session.err << sentence_of(chosen) << "; start another with --new.\n";
    return conclude(session, request, *store, chosen.row, "already_finished", EngineEnd::finished,
                    study.plan.gate);
  }
  if (request.detach) return start_detached(session, *store, chosen.row, database, request);

  DriveOptions options;
  options.database = database;
  options.concurrent = in_turns ? concurrent_in_turns(both) : request.concurrent;
  options.price = price;
  if (found.price) options.kept = found.price->kept;
  options.announce = [&] { show_estimate(session, study, budget, price); };
  TRY_ASSIGN(const EngineOutcome outcome,
             drive_study(session, *store, site, access, study, chosen, options));
  return conclude(session, request, *store, chosen.row, word_of(outcome.end), outcome.end,
                  study.plan.gate, outcome.why);
}

namespace {

Result<int> run(Session& session, const Arguments& arguments) {
  RunRequest request;
  request.plan = arguments.text("PLAN");
  request.site = arguments.text("--site");
  request.resume = arguments.text("--resume");
  request.builds = arguments.list("--ab");
  if (arguments.has("--ab") && request.builds.empty()) request.builds.emplace_back();  // refused
  request.prices = price_choice(arguments);
  request.concurrent = arguments.count("--concurrent");
  request.make_new = arguments.has("--new");
  request.retry_failed = arguments.has("--retry-failed");
  request.detach = arguments.has("--detach");
  std::string study_id;
  return run_plan(session, request, study_id);
}

}  // namespace

CommandSpec run_command() {
  return {
      "run",
      "Run a plan to its end, or go on with it",
      "Starts a study of the plan on the site, or goes on with the newest one of its series "
      "that is unfinished; a plan that asks for more repeats or K extends a finished study. "
      "Ends with the report. Ctrl-C once lets active runs end and stops; twice cancels them; "
      "running again resumes. Where there is a queue (Slurm), Ctrl-C stops at once and leaves "
      "queued and running jobs there, for the next `kneepoint run` to adopt; `kneepoint cancel "
      "STUDY` takes them out. A plan that can't fit its budget is refused; nothing "
      "starts that could pass the budget (limits.budget), runs near its end get the time that "
      "it still pays for, and running again with a larger one resumes. "
      "With --ab twice, both builds are measured at every point of the plan, in turns on one "
      "allocation; {build} in commands is the place of each. Ends with the ratio of their "
      "times, what moved, and a verdict, and exits with 1 if the second is slower. "
      "Exits with 4 if a run failed, a point has no data, or the budget is used up.",
      {file_argument("PLAN", "The plan file; none with --resume", false)},
      with_price_flags(
          {file_flag("--site", "Where to run (default: KNEEPOINT_SITE, else this machine)"),
           {"--ab",
            "LABEL=PLACE",
            "Twice: compare two builds in turns (program, folder of programs, image)",
            {},
            false,
            Completes::files,
            true},
           {"--new", "", "Start another study of the series, even if one is unfinished"},
           {"--detach", "", "Return at once and run in the background"},
           {"--resume",
            "STUDY",
            "Go on with this study by the plan and the site that it has stored",
            {},
            false,
            Completes::studies},
           {"--retry-failed", "", "Try the failed runs of the newest study again"},
           count_flag("--concurrent", "Allocations at a time (the site's limit is never passed)")}),
      {"kneepoint run plans/quickstart.yaml",
       "kneepoint run plans/jacobi.yaml --site plans/sites/simulated.yaml --new --detach",
       "kneepoint run plan.yaml --ab old=build-1/app --ab new=build-2/app",
       "kneepoint run --resume jacobi-nightly-1a2b3c4d-7"},
      run};
}

}  // namespace kneepoint::cli
