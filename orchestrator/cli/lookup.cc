// SPDX-License-Identifier: Apache-2.0
//
// Every refusal names the command that helps.
#include "orchestrator/cli/lookup.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "orchestrator/backend/local/files.h"
#include "orchestrator/cli/words.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kHeartbeatFresh = 30 * kSecond;
constexpr Nanoseconds kClockSlack = 5 * kSecond;  // /proc tells the boot time in whole seconds

std::string this_host() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

}  // namespace

Result<std::string> database_of(const Session& session) {
  return database_path(session.database_flag, session.environment, fs::current_path().string());
}

bool database_exists(const Session& session) {
  const auto path = database_of(session);
  std::error_code ignored;
  return path && fs::exists(*path, ignored);
}

Result<std::unique_ptr<StudyStore>> open_database(const Session& session,
                                                  StudyStore::Access access) {
  TRY_ASSIGN(const std::string path, database_of(session));
  std::error_code problem;
  if (access == StudyStore::Access::read_only) {
    if (!fs::exists(path, problem)) {
      return Error{ErrorCode::not_found,
                   "no database at " + path +
                       " yet; 'kneepoint run PLAN' makes it, --db FILE names another"};
    }
  } else {
    fs::create_directories(fs::path(path).parent_path(), problem);
    if (problem) return system_error("make the folder of " + path, problem.value());
  }
  auto store = StudyStore::open(path, access, session.clock);
  if (!store) return store.error().in("database " + path);
  return store;
}

Result<StudyRow> find_study(StudyStore& store, const std::string& words) {
  if (!words.empty()) return store.find_study(words);
  TRY_ASSIGN(const std::vector<StudyRow> all, store.studies());
  if (all.empty()) {
    return Error{ErrorCode::not_found,
                 "the database holds no study yet; 'kneepoint run PLAN' makes one"};
  }
  return all.front();
}

Result<FoundRun> find_run(StudyStore& store, const std::string& text) {
  TRY_ASSIGN(const RunWords words, parse_run_words(text));
  FoundRun found;
  found.attempt = words.attempt;
  TRY_ASSIGN(found.study, find_study(store, words.study));
  TRY_ASSIGN(const std::vector<RunRow> runs, store.runs(found.study.row));
  bool known = false;
  for (const RunRow& run : runs) {
    if (run.number != words.run) continue;
    found.run = run;
    known = true;
  }
  if (!known) {
    return Error{ErrorCode::not_found, found.study.id + " has no run r" +
                                           std::to_string(words.run) + "; it has " +
                                           std::to_string(runs.size()) +
                                           " runs, see 'kneepoint status " + found.study.id + "'"};
  }
  if (words.attempt > found.run.attempts) {
    return Error{ErrorCode::not_found, "r" + std::to_string(words.run) + " of " + found.study.id +
                                           " has no attempt " + std::to_string(words.attempt) +
                                           "; it has " + std::to_string(found.run.attempts)};
  }
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(found.study.row));
  for (const PointEvidence& point : evidence.points) {
    for (const RunEvidence& run : point.runs) {
      if (run.number == words.run) found.point = point.point;
    }
  }
  return found;
}

Lease own_lease(const Clock& clock) {
  return {this_host(), ::getpid(), clock.wall()};
}

bool is_process_alive(const Lease& lease) {
  const auto number = static_cast<pid_t>(lease.pid);
  if (::kill(number, 0) != 0 && errno != EPERM) return false;
  // One that has ended and that nobody has reaped yet writes nothing any more.
  const auto process = living_process(number);
  if (!process) return !path_exists("/proc/" + std::to_string(number) + "/stat");
  // Begun after the holder's last sign of life: it has the holder's number, but is another process.
  const Nanoseconds begun = begin_of(*process);
  return begun == 0 || begun < lease.heartbeat_ns + kClockSlack;
}

bool is_live(const Lease& lease, Nanoseconds wall_now) {
  if (lease.host == this_host()) return is_process_alive(lease);
  return wall_now - lease.heartbeat_ns < kHeartbeatFresh;
}

std::string holder_text(const Lease& lease) {
  return "process " + std::to_string(lease.pid) + " on " + lease.host;
}

}  // namespace kneepoint::cli
