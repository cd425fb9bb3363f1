// SPDX-License-Identifier: Apache-2.0
//
// kneepoint gate: did this night make it worse? Reads the database, keeps the verdict in it, and
// submits nothing unless told to confirm.
#include "orchestrator/answers/night/gate.h"

#include <fstream>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/files.h"
#include "orchestrator/cli/gate_delivery.h"
#include "orchestrator/cli/running.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/gate/gate.h"

namespace kneepoint::cli {
namespace {

// A job's page on GitHub belongs to all steps of the job: what is there stays.
Result<void> write_summary(const Session& session, const std::string& path,
                           const std::string& text) {
  if (session.environment("GITHUB_STEP_SUMMARY").value_or("") != path) {
    return write_file(path, text);
  }
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << text << std::flush;
  if (!file) return system_error("write " + path, errno);
  return {};
}

Result<int> run_gate(Session& session, const Arguments& arguments) {
  const GateOutputs outputs = gate_outputs(arguments);
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const StudyRow tonight, find_night(*store, arguments.text("STUDY")));
  TRY_ASSIGN(const Judged judged,
             judge_night(session, *store, tonight, arguments.has("--confirm")));
  const auto& [report, confirmed] = judged;
  if (!confirmed.note.empty()) {
    session.err << "kneepoint: gate --confirm: " << confirmed.note << "\n";
  }
  if (confirmed.interrupted) {
    session.err << "kneepoint: gate --confirm: " << confirmed.study
                << " is not complete; the same command goes on with it\n";
    return kExitInterrupted;
  }
  const int width = predict_width(session);
  if (session.json) {
    session.out << gate_json(report) << "\n";
  } else if (arguments.has("--since")) {
    session.out << since_text(report, width) << "\n" << verdict_line(report) << "\n";
  } else {
    session.out << gate_text(report, width);
  }
  session.out << std::flush;
  const bool delivered = deliver(session, outputs, report);
  return exit_code_after(delivered,
                         gate_exit_code(report.answer.verdict, arguments.has("--strict")));
}

}  // namespace

Result<Judged> judge_night(Session& session, StudyStore& store, const StudyRow& tonight,
                           bool confirm) {
  Judged judged;
  TRY_ASSIGN(judged.report, gate_study(store, tonight));
  if (confirm) {
    DriveOptions options;
    TRY_ASSIGN(options.database, database_of(session));
    const auto drive = [&](const Site& site, const SiteAccess& access, const Study& study,
                           const ChosenStudy& chosen, int concurrent) {
      options.concurrent = concurrent;
      return drive_study(session, store, site, access, study, chosen, options);
    };
    TRY_ASSIGN(judged.confirmed, confirm_gate(session, store, tonight, drive, judged.report));
    if (judged.confirmed.interrupted) return judged;
  }
  TRY(remember_verdict(store, judged.report, verdict_line(judged.report), session.clock.wall()));
  return judged;
}

std::vector<Flag> with_gate_outputs(std::vector<Flag> flags) {
  const std::vector<Flag> outputs = {
      file_flag("--junit", "Write the verdict as JUnit XML too"),
      file_flag("--summary",
                "Write it as Markdown too, for a job's page; appended if it is the file "
                "GITHUB_STEP_SUMMARY names"),
      {"--github-annotations", "", "Print it as annotations of GitHub Actions too, on stderr"},
      file_flag("--prometheus",
                "Write it for the textfile collector of node_exporter too (NAME.prom)")};
  flags.insert(flags.end(), outputs.begin(), outputs.end());
  return flags;
}

GateOutputs gate_outputs(const Arguments& arguments) {
  return {arguments.text("--junit"), arguments.text("--summary"), arguments.text("--prometheus"),
          arguments.has("--github-annotations")};
}

bool deliver(Session& session, const GateOutputs& outputs, const GateReport& report) {
  bool good = true;
  const auto said = [&](const Result<void>& done) {
    if (done) return;
    session.err << "kneepoint: " << done.error().message
                << "; the verdict stands, this output is missing\n";
    good = false;
  };
  if (!outputs.junit.empty()) said(write_file(outputs.junit, gate_junit(report)));
  if (!outputs.summary.empty()) {
    said(write_summary(session, outputs.summary, gate_markdown(report)));
  }
  if (!outputs.prometheus.empty()) {
    said(write_file(outputs.prometheus, gate_prometheus(report, session.clock.wall())));
  }
  if (outputs.github_annotations) session.err << gate_annotations(report);
  session.err << std::flush;
  return good;
}

int gate_exit_code(Verdict verdict, bool strict) {
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

int exit_code_after(bool delivered, int verdict_code) {
  return delivered || verdict_code != kExitDone ? verdict_code : kExitUnreachable;
}

CommandSpec gate_command() {
  return {
      "gate",
      "Say whether a night made scaling worse",
      "Tests a study against the nights before it: the finished studies of the same series (name "
      "and hash). PASS, IMPROVED, SUSPECT (watch it), REGRESSED (twice in a row), INCONCLUSIVE "
      "(these nights can't show what matters), ENV_CHANGE, NO_BASELINE (fewer than 8 nights) or "
      "FAILED. "
      "Exit code 1 for REGRESSED and 4 for FAILED; with --strict also 1 for all but PASS and "
      "IMPROVED. The verdict is kept in the database; nothing is submitted without --confirm.",
      {study_argument("STUDY", "Id, unique prefix or name (default: the newest study)", false)},
      with_gate_outputs(
          {{"--confirm", "", "Measure what is suspect at once, in turns with the pinned build"},
           {"--strict", "", "Exit code 1 unless the verdict is PASS or IMPROVED"},
           {"--since", "", "Show when the level of each curve changed, and between which builds"}}),
      {"kneepoint gate", "kneepoint gate nightly --strict --junit gate.xml",
       "kneepoint gate nightly --since"},
      run_gate};
}

}  // namespace kneepoint::cli
