// SPDX-License-Identifier: Apache-2.0
//
// The study exists before the controller starts, so the controller only resumes: --new is not
// passed on.
#include <sys/wait.h>

#include <filesystem>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/running.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kPatience = 20 * kSecond;
constexpr Nanoseconds kBetweenLooks = 20 * kMillisecond;
constexpr std::size_t kLastWords = 2000;  // bytes of the log shown when the start fails

std::string last_words(const std::string& log) {
  const auto text = read_file("log", log);
  if (!text) return "";
  return text->size() <= kLastWords ? *text : text->substr(text->size() - kLastWords);
}

struct Started {
  bool holds_lease = false;
  bool ended = false;
  int exit_code = 0;
};

Result<Started> wait_for_start(const Session& session, StudyStore& store, RowId study, pid_t pid) {
  Poller poller;
  const Nanoseconds until = session.clock.steady() + kPatience;
  for (;;) {
    Started started;
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      started.ended = true;
      started.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      return started;
    }
    TRY_ASSIGN(const auto lease, store.lease(study));
    started.holds_lease = lease && lease->pid == pid;
    if (started.holds_lease || session.clock.steady() > until) return started;
    TRY(poller.wait(kBetweenLooks));
  }
}

}  // namespace

std::vector<std::string> controller_argv(const std::string& executable, const std::string& database,
                                         const Session& session, const RunRequest& request) {
  std::vector<std::string> argv = {executable, "run"};
  if (!request.resume.empty()) argv.insert(argv.end(), {"--resume", request.resume});
  if (!request.plan.empty()) argv.push_back(request.plan);
  argv.insert(argv.end(), {"--db", database});
  const auto pass = [&](const std::string& flag, const std::string& value) {
    if (value.empty()) return;
    argv.push_back(flag);
    argv.push_back(value);
  };
  for (const std::string& build : request.builds) pass("--ab", build);
  pass("--site", request.site);
  pass("--prices", request.prices.book.value_or(""));
  pass("--item", request.prices.item.value_or(""));
  pass("--concurrent", request.concurrent > 0 ? std::to_string(request.concurrent) : "");
  if (request.retry_failed) argv.emplace_back("--retry-failed");
  pass("--log-level", session.log_level.empty() ? "info" : session.log_level);
  pass("--log-format", session.log_format);
  argv.push_back("--no-color");
  return argv;
}

Result<int> start_detached(Session& session, StudyStore& store, const StudyRow& study,
                           const std::string& database, const RunRequest& request) {
  TRY_ASSIGN(const auto holder, store.lease(study.row));
  if (holder && is_live(*holder, session.clock.wall())) {
    return Error{ErrorCode::conflict, study.id + " is being run by " + holder_text(*holder) +
                                          "; follow it with 'kneepoint watch " + study.id + "'"};
  }
  std::error_code problem;
  fs::create_directories(study.work_dir, problem);
  if (problem) return system_error("make " + study.work_dir, problem.value());
  const std::string log = study.work_dir + "/controller.log";
  SpawnOptions spawning;
  spawning.argv = controller_argv(session.executable, database, session, request);
  spawning.new_session = true;
  spawning.output_path = log;
  const auto pid = spawn(spawning);
  if (!pid) return pid.error().in("start the controller");
  TRY_ASSIGN(const Started started, wait_for_start(session, store, study.row, *pid));
  if (started.ended && started.exit_code != kExitDone) {
    session.err << "kneepoint: run --detach: the controller ended with status " << started.exit_code
                << "; its log is " << log << ":\n"
                << last_words(log);
    return started.exit_code;
  }
  if (!started.ended && !started.holds_lease) {
    session.err << "kneepoint: run --detach: the controller (process " << *pid
                << ") has not begun its work yet; see " << log << "\n";
    return kExitUnreachable;
  }
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("study", study.id).put("pid", *pid).put("ended", started.ended);
    json.put("log", log).end_object();
    session.out << json.text() << "\n";
    return kExitDone;
  }
  session.out << study.id << "\n";
  session.err << (started.ended ? "It has ended already. " : "") << "Follow it: kneepoint watch "
              << study.id << "\nIts log:   " << log << "\n";
  return kExitDone;
}

}  // namespace kneepoint::cli
