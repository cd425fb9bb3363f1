// SPDX-License-Identifier: Apache-2.0
//
// kneepoint nightly: what a timer or a CI job calls. A new study, its verdict, and files about both
// in one folder. Called again after an interruption it goes on with the same night.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <ostream>
#include <sstream>
#include <streambuf>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/gate.h"
#include "orchestrator/answers/study/report.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/gate_delivery.h"
#include "orchestrator/cli/running.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/report/gate/gate.h"
#include "orchestrator/report/html/html.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kNight = 20 * kHour;  // an interrupted study this old is another night's
constexpr char kNightLog[] = "nightly.log";
constexpr const char* kArtefacts[] = {"gate.json", "gate.xml",    "summary.md",
                                      "report.md", "report.html", "report.json"};

// The folder that a night leaves its artefacts in. It belongs to one `nightly` at a time, and what
// the last one left is taken away first: nobody reads yesterday's verdict for tonight's. The lock
// is on the log, which stays open until the end: a killed process leaves none behind.
class NightFolder {
 public:
  // Makes the folder if need be. The error names who is there, or why it can't be used.

  static Result<std::unique_ptr<NightFolder>> open(const std::string& path, std::ostream& screen) {
    std::error_code problem;
    fs::create_directories(path, problem);
    if (problem) return system_error("make the folder " + path, problem.value());
    const std::string log = path + "/" + kNightLog;
    const int descriptor =
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return system_error("write " + log, errno);
    std::unique_ptr<NightFolder> folder(new NightFolder(path, descriptor, screen));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return system_error("lock " + log, errno);
      return Error{ErrorCode::conflict, path +
                                            " is in use by another nightly; one at a time, or a "
                                            "folder for each"};
    }
    if (::ftruncate(descriptor, 0) != 0) return system_error("empty " + log, errno);
    for (const char* name : kArtefacts) {
      fs::remove(folder->file(name), problem);
      if (problem) return system_error("remove " + folder->file(name), problem.value());
    }
    return folder;
  }

  ~NightFolder() { ::close(descriptor_); }
  NightFolder(const NightFolder&) = delete;
  NightFolder& operator=(const NightFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // What is written to it comes on the screen and into the log.
  std::ostream& both() { return both_; }
  // Into the log alone. A log that can't be written, on a full disk, stops nothing.
  void log(std::string_view text) {
    while (!text.empty()) {
      const ssize_t put = ::write(descriptor_, text.data(), text.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) {
        log_is_whole_ = false;
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(put));
    }
  }
  bool log_is_whole() const { return log_is_whole_; }

 private:
  class Buffer final : public std::streambuf {
   public:
    Buffer(NightFolder& folder, std::ostream& screen) : folder_(folder), screen_(screen) {}

   private:
    std::streamsize xsputn(const char* text, std::streamsize size) override {
      screen_.write(text, size);
      folder_.log({text, static_cast<std::size_t>(size)});
      return size;
    }
    int_type overflow(int_type character) override {
      if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
      const char c = traits_type::to_char_type(character);
      xsputn(&c, 1);
      return character;
    }
    int sync() override {
      screen_.flush();
      return 0;
    }

    NightFolder& folder_;
    std::ostream& screen_;
  };

  NightFolder(std::string path, int descriptor, std::ostream& screen)
      : path_(std::move(path)), descriptor_(descriptor), buffer_(*this, screen), both_(&buffer_) {}

  const std::string path_;
  const int descriptor_;
  bool log_is_whole_ = true;
  Buffer buffer_;
  std::ostream both_;
};

class Night {
 public:
  Night(Session& session, const Arguments& arguments, NightFolder& folder)
      : session_(session),
        arguments_(arguments),
        folder_(folder),
        inner_(inner_session(session, answer_, folder.both())) {}

  Result<int> spend(const GateOutputs& outputs) {
    auto code = go(outputs);
    if (!code) folder_.log("kneepoint: " + plain_lines(code.error().message) + "\n");
    if (!folder_.log_is_whole()) {
      session_.err << "kneepoint: " << folder_.file(kNightLog) << " is not whole\n";
      if (code) return exit_code_after(false, *code);
    }
    return code;
  }

 private:
  Result<int> go(const GateOutputs& outputs) {
    std::string id;
    RunRequest request;
    request.plan = arguments_.text("PLAN");
    request.site = arguments_.text("--site");
    request.prices = price_choice(arguments_);
    request.concurrent = arguments_.count("--concurrent");
    request.make_new = true;
    request.night_began = session_.clock.wall() - kNight;
    TRY_ASSIGN(const int ran, run_plan(inner_, request, id));
    if (id.empty() || (ran != kExitDone && ran != kExitRunsFailed && ran != kExitInterrupted)) {
      return ran;  // it was refused, and said why
    }
    TRY_ASSIGN(const auto store, open_database(session_, StudyStore::Access::read_write));
    TRY_ASSIGN(const StudyRow tonight, find_study(*store, id));
    if (ran == kExitInterrupted) return interrupted(tonight);
    TRY_ASSIGN(const Judged judged,
               judge_night(inner_, *store, tonight, arguments_.has("--confirm")));
    const auto& [report, confirmed] = judged;
    if (!confirmed.note.empty()) folder_.both() << "nightly: --confirm: " << confirmed.note << "\n";
    if (confirmed.interrupted) return interrupted_in_turns(tonight, confirmed.study);
    // Missing nights, clocks that were set back, studies left unfinished.
    for (const std::string& note : report.left_out) {
      folder_.both() << "nightly: " << plain(note) << "\n";
    }
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
      folder_.both() << "kneepoint: " << written.error().message
                     << "; the verdict stands, this artefact is missing\n";
      good = false;
    };
    put("gate.json", gate_json(report) + "\n");
    put("gate.xml", gate_junit(report));
    put("summary.md", gate_markdown(report));
    auto evidence = store.evidence_in_detail(tonight.row);
    if (!evidence) {
      folder_.both() << "kneepoint: " << evidence.error().message << "; there is no report\n";
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
    folder_.both() << std::flush;
    folder_.log(text + "\n");
    session_.out << text << "\n";
  }

  Session& session_;
  const Arguments& arguments_;
  NightFolder& folder_;
  std::ostringstream answer_;  // of `run`: report.md says the same
  Session inner_;
};

Result<int> run_nightly(Session& session, const Arguments& arguments) {
  if (!arguments.has("--output-dir")) {
    return Error{ErrorCode::invalid, "--output-dir DIR is needed: where the artefacts go"};
  }
  const GateOutputs outputs = gate_outputs(arguments);
  TRY_ASSIGN(const auto folder, NightFolder::open(arguments.text("--output-dir"), session.err));
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
      "night. Prints one line, the verdict. Interrupted (exit code 130), the same command goes on "
      "with the same study if that is less than 20 hours old; a finished or cancelled study, or an "
      "older one, "
      "is followed by a new one. Exit code as `gate`'s, 4 also if runs failed or the budget is "
      "used up, 3 if a file could not be written and the verdict's own code is 0.",
      {file_argument("PLAN", "The plan file")},
      with_price_flags(with_gate_outputs(
          {file_flag("--output-dir",
                     "Where the artefacts go; made if need be, one nightly at a time", "DIR"),
           file_flag("--site", "Where to run (default: KNEEPOINT_SITE, else this machine)"),
           {"--confirm", "", "Measure what is suspect at once, in turns with the pinned build"},
           {"--strict", "", "Exit code 1 unless the verdict is PASS or IMPROVED"},
           count_flag("--concurrent",
                      "Allocations at a time (the site's limit is never passed)")})),
      {"kneepoint nightly plans/jacobi.yaml --site plans/sites/slurm.yaml --output-dir night",
       "kneepoint nightly plan.yaml --output-dir night --strict --prometheus gate.prom"},
      run_nightly};
}

}  // namespace kneepoint::cli
