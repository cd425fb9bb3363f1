// SPDX-License-Identifier: Apache-2.0
//
// kneepoint gate: did this night make it worse? Reads the database; submits nothing.
#include <algorithm>
#include <ostream>

#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/files.h"
#include "orchestrator/cli/gate_text.h"
#include "orchestrator/cli/loading.h"
#include "orchestrator/cli/lookup.h"
#include "orchestrator/cli/predict_flags.h"
#include "orchestrator/cli/table.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostNights = 90;  // change points look at 60, the test at 33

// The nights of the series up to `tonight`, oldest first. Those that don't count are said.
Result<std::vector<StudyEvidence>> nights_before(StudyStore& store, const StudyRow& tonight,
                                                 GateReport& report) {
  TRY_ASSIGN(const std::vector<StudyRow> all, store.studies());
  std::vector<const StudyRow*> rows;
  int unfinished = 0;
  for (const StudyRow& row : all) {
    if (row.name != tonight.name || row.hash8 != tonight.hash8 || row.n >= tonight.n) continue;
    if (row.state != "finished") {
      ++unfinished;
      continue;
    }
    rows.push_back(&row);
  }
  if (unfinished > 0) {
    report.left_out.push_back(counted(unfinished, "study") + " of the series not finished");
  }
  std::sort(rows.begin(), rows.end(),
            [](const StudyRow* a, const StudyRow* b) { return a->n > b->n; });
  if (rows.size() > kMostNights) rows.resize(kMostNights);
  std::vector<StudyEvidence> nights;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    TRY_ASSIGN(StudyEvidence evidence, store.evidence((*row)->row));
    nights.push_back(std::move(evidence));
  }
  return nights;
}

GateOptions options_of(const GateSpec& spec) {
  GateOptions options;
  options.alpha = spec.alpha;
  options.min_effect = spec.min_effect;
  options.confirm_effect = spec.confirm_effect;
  options.max_regression = spec.max_regression;
  return options;
}

// A step that was dated and is still there is no calmer for having happened some nights ago, when
// the nights after it have become part of the history.
void hold_on_to_steps(GateReport& report) {
  GateAnswer& answer = report.answer;
  if (answer.verdict != Verdict::pass && answer.verdict != Verdict::inconclusive) return;
  for (GateFinding& curve : answer.curves) {
    const auto change = last_change(report.history, curve);
    if (!change || change->ratio < 1 + report.options.min_effect) continue;
    curve.slower = true;
    answer.verdict = Verdict::regressed;
    answer.why = "slower since " + report.history.nights[change->night] + ", and still so";
  }
}

void judge(const StudyRow& tonight, GateReport& report) {
  report.answer = gate(report.history.series, report.options);
  hold_on_to_steps(report);
  if (report.answer.verdict == Verdict::failed) return;
  if (tonight.state != "finished") {
    report.answer.verdict = Verdict::inconclusive;
    report.answer.why = "the study is " + tonight.state + ": " +
                        std::to_string(tonight.runs - tonight.succeeded - tonight.failed) + " of " +
                        counted(tonight.runs, "run") + " to go";
  } else if (!report.history.changed.empty()) {
    report.answer.verdict = Verdict::env_change;
    report.answer.why = "the environment differs from the night before, so a new segment begins: " +
                        report.history.changed;
  }
}

int exit_code_of(Verdict verdict, bool strict) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::improved:
      return kExitDone;
    case Verdict::suspect:
    case Verdict::inconclusive:
    case Verdict::env_change:
    case Verdict::no_baseline:
      return strict ? kExitNegative : kExitDone;
    case Verdict::regressed:
      return kExitNegative;
    case Verdict::failed:
      return kExitRunsFailed;
  }
  return kExitBug;
}

Result<int> run_gate(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow tonight, find_study(*store, arguments.text("STUDY")));
  if (tonight.backend == "import") {
    return Error{ErrorCode::invalid, tonight.id + " was imported: it is no night of a series"};
  }
  TRY_ASSIGN(const PlanOnSite both,
             read_stored_plan(tonight.plan_text, tonight.plan_path, tonight.site_text));
  GateReport report;
  report.study = tonight.id;
  report.series = tonight.name + "-" + tonight.hash8;
  report.options = options_of(both.plan.gate);
  TRY_ASSIGN(std::vector<StudyEvidence> nights, nights_before(*store, tonight, report));
  TRY_ASSIGN(StudyEvidence evidence, store->evidence(tonight.row));
  nights.push_back(std::move(evidence));
  report.history = make_history(nights);
  if (report.history.other_environment > 0 && report.history.changed.empty()) {
    report.left_out.push_back(counted(report.history.other_environment, "night") +
                              " before the environment last changed");
  }
  judge(tonight, report);
  if (arguments.has("--junit")) TRY(write_file(arguments.text("--junit"), gate_junit(report)));
  if (arguments.has("--summary")) {
    TRY(write_file(arguments.text("--summary"), gate_markdown(report)));
  }
  session.out << (session.json ? gate_json(report) + "\n"
                               : gate_text(report, predict_width(session)));
  return exit_code_of(report.answer.verdict, arguments.has("--strict"));
}

}  // namespace

CommandSpec gate_command() {
  return {
      "gate",
      "Say whether a night made scaling worse",
      "Tests a study against the nights before it: the finished studies of the same series (name "
      "and hash). PASS, IMPROVED, SUSPECT (watch it), REGRESSED (twice in a row), INCONCLUSIVE "
      "(these "
      "nights can't show what matters), ENV_CHANGE, NO_BASELINE (fewer than 8 nights) or FAILED. "
      "Exit code 1 for REGRESSED and 4 for FAILED; with --strict also 1 for all but PASS and "
      "IMPROVED. Submits nothing.",
      {{"STUDY",
        "Id, unique prefix or name (default: the newest study)",
        false,
        {},
        Completes::studies}},
      {{"--strict", "", "Exit code 1 unless the verdict is PASS or IMPROVED"},
       {"--junit", "FILE", "Write the verdict as JUnit XML too", {}, false, Completes::files},
       {"--summary",
        "FILE",
        "Write it as Markdown too, for a job's page",
        {},
        false,
        Completes::files}},
      {"kneepoint gate", "kneepoint gate nightly --strict --junit gate.xml"},
      run_gate};
}

}  // namespace kneepoint::cli
