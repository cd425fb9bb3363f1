// SPDX-License-Identifier: Apache-2.0
//
// kneepoint nightly: what a timer or a CI job calls. A new study, its verdict, and files about both
// in one folder. Called again after an interruption it goes on with the same night.
#include <ostream>
#include <sstream>

#include "orchestrator/answers/gate.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/report.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/confirm.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/gate_delivery.h"
#include "orchestrator/cli/gate_machine_text.h"
#include "orchestrator/cli/gate_text.h"
#include "orchestrator/cli/night_folder.h"
#include "orchestrator/cli/run_plan.h"
#include "orchestrator/report/html/html.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr Nanoseconds kNight = 20 * kHour;  // an interrupted study this old is another night's

Arguments run_arguments(const Arguments& arguments) {
  std::map<std::string, std::string> given = {{"PLAN", arguments.text("PLAN")}, {"--new", ""}};
  for (const char* flag : {"--site", "--prices", "--item", "--concurrent"}) {
    if (arguments.has(flag)) given[flag] = arguments.text(flag);
  }
  return Arguments(std::move(given));
}

class Night {
 public:
  Night(Session& session, const Arguments& arguments, NightFolder& folder)
      : session_(session),
        arguments_(arguments),
        folder_(folder),
        both_(session.err, folder.log()),
        inner_(inner_session(session, answer_, both_)) {}

  Result<int> spend(const GateOutputs& outputs) {
    auto code = go(outputs);
    if (!code) folder_.log() << "kneepoint: " << plain_lines(code.error().message) << "\n";
    if (!folder_.log_is_whole()) {
      session_.err << "kneepoint: " << folder_.file("nightly.log") << " is not whole\n";
      if (code) return exit_code_after(false, *code);
    }
    return code;
  }

 private:
  Result<int> go(const GateOutputs& outputs) {
    std::string id;
    const RunRequest request{session_.clock.wall() - kNight, ""};
    TRY_ASSIGN(const int ran, run_plan(inner_, run_arguments(arguments_), request, id));
    if (id.empty() || (ran != kExitDone && ran != kExitRunsFailed && ran != kExitInterrupted)) {
      return ran;  // it was refused, and said why
    }
    TRY_ASSIGN(const auto store, open_database(session_, StudyStore::Access::read_write));
    TRY_ASSIGN(const StudyRow tonight, find_study(*store, id));
    if (ran == kExitInterrupted) return interrupted(tonight);
    TRY_ASSIGN(GateReport report, gate_study(*store, tonight));
    if (arguments_.has("--confirm")) {
      TRY_ASSIGN(const Confirmed confirmed, confirm_gate(inner_, *store, tonight, report));
      if (!confirmed.note.empty()) both_ << "nightly: --confirm: " << confirmed.note << "\n";
      if (confirmed.interrupted) return interrupted_in_turns(tonight, confirmed.study);
    }
    TRY(remember_verdict(session_, *store, report));
    // Missing nights, clocks that were set back, studies left unfinished.
    for (const std::string& note : report.left_out) both_ << "nightly: " << plain(note) << "\n";
    bool delivered = write_artefacts(*store, tonight, report);
    delivered = deliver(inner_, outputs, report) && delivered;
    answer(session_.json ? gate_json(report) : verdict_line(report));
    if (ran == kExitRunsFailed) return ran;
    return exit_code_after(delivered,
                           gate_exit_code(report.answer.verdict, arguments_.has("--strict")));
  }

  int interrupted(const StudyRow& tonight) {
    const int open = tonight.runs - tonight.succeeded - tonight.failed;
    const bool cancelled = tonight.state == "cancelled";
    const std::string line =
        "INTERRUPTED  " + tonight.id + ": " + counted(open, "run") + " of " +
        std::to_string(tonight.runs) +
        (cancelled
             ? " to go; it was cancelled, so the next call begins another study"
             : " to go; the same command within " + to_duration_text(kNight) + " goes on with it");
    return without_verdict(tonight, cancelled ? "cancelled" : "interrupted", open, line);
  }

  // The night itself is over; what is missing are the pairs that decide about a suspicion.
  int interrupted_in_turns(const StudyRow& tonight, const std::string& turns) {
    return without_verdict(tonight, "interrupted", 0,
                           "INTERRUPTED  " + tonight.id + ": " + turns +
                               " is not complete; go on with: kneepoint gate " + tonight.id +
                               " --confirm");
  }

  int without_verdict(const StudyRow& tonight, const char* end, int open, const std::string& line) {
    JsonWriter json;
    json.begin_object().key("schema").value("kneepoint.nightly/1").key("study").value(tonight.id);
    json.key("end").value(end).key("runs").value(tonight.runs);
    json.key("to_go").value(open).key("line").value(line).end_object();
    answer(session_.json ? json.text() : line);
    return kExitInterrupted;
  }

  // False: one of them is missing, which was said.
  bool write_artefacts(StudyStore& store, const StudyRow& tonight, const GateReport& report) {
    bool good = true;
    const auto put = [&](const char* name, const std::string& text) {
      const auto written = write_file(folder_.file(name), text);
      if (written) return;
      both_ << "kneepoint: " << written.error().message
            << "; the verdict stands, this artefact is missing\n";
      good = false;
    };
    put("gate.json", gate_json(report) + "\n");
    put("gate.xml", gate_junit(report));
    put("summary.md", gate_markdown(report));
    auto evidence = store.evidence_in_detail(tonight.row);
    if (!evidence) {
      both_ << "kneepoint: " << evidence.error().message << "; there is no report\n";
      return false;
    }
    const Document document =
        make_document(analyse_priced(std::move(*evidence), prices_of(tonight.price)));
    put("report.md", to_markdown(document));
    put("report.html", to_html(document));
    return good;
  }

  // The one line on stdout, and the log's last.
  void answer(const std::string& text) {
    both_ << std::flush;
    folder_.log() << text << "\n";
    session_.out << text << "\n";
  }

  Session& session_;
  const Arguments& arguments_;
  NightFolder& folder_;
  std::ostringstream answer_;  // of `run`: report.md says the same
  TwoStreams both_;
  Session inner_;
};

Result<int> run_nightly(Session& session, const Arguments& arguments) {
  if (!arguments.has("--output-dir")) {
    return Error{ErrorCode::invalid, "--output-dir DIR is needed: where the artefacts go"};
  }
  const GateOutputs outputs = gate_outputs(arguments);
  TRY_ASSIGN(const auto folder, NightFolder::open(arguments.text("--output-dir")));
  Night night(session, arguments, *folder);
  return night.spend(outputs);
}

}  // namespace

CommandSpec nightly_command() {
  return {
      "nightly",
      "Run tonight's study and gate it",
      "What a timer or a CI job calls: starts a new study of the plan, as `run --new` does, tests "
      "it against the nights before it, as `gate` does, and leaves gate.json, gate.xml (JUnit), "
      "summary.md, report.md, report.html and nightly.log in DIR, in place of those of the last "
      "night. Prints "
      "one line, the verdict. Interrupted (exit code 130), the same command goes on with the same "
      "study if that is less than 20 hours old; a finished or cancelled study, or an older one, "
      "is followed by a new one. Exit code as `gate`'s, 4 also if runs failed or the budget is "
      "used up, 3 if a file could not be written and the verdict's own code is 0.",
      {{"PLAN", "The plan file", true, {}, Completes::files}},
      with_price_flags(with_gate_outputs(
          {{"--output-dir",
            "DIR",
            "Where the artefacts go; made if need be, one nightly at a time",
            {},
            false,
            Completes::files},
           {"--site",
            "FILE",
            "Where to run (default: KNEEPOINT_SITE, else this machine)",
            {},
            false,
            Completes::files},
           {"--confirm", "", "Measure what is suspect at once, in turns with the pinned build"},
           {"--strict", "", "Exit code 1 unless the verdict is PASS or IMPROVED"},
           {"--concurrent",
            "N",
            "Allocations at a time (the site's limit is never passed)",
            {},
            true}})),
      {"kneepoint nightly plans/jacobi.yaml --site plans/sites/slurm.yaml --output-dir night",
       "kneepoint nightly plan.yaml --output-dir night --strict --prometheus gate.prom"},
      run_nightly};
}

}  // namespace kneepoint::cli
