// SPDX-License-Identifier: Apache-2.0
//
// Every refusal names the command that helps.
#include "orchestrator/answers/lookup.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/log.h"
#include "orchestrator/io/process.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kHeartbeatFresh = 30 * kSecond;
constexpr Nanoseconds kClockSlack = 5 * kSecond;  // /proc tells the boot time in whole seconds

// The positive number that `text` is, or 0.
int positive(std::string_view text) {
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return 0;
  return number > 0 && text.front() != '0' ? number : 0;
}

std::string this_host() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
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

}  // namespace

Result<std::string> database_of(const Context& context) {
  return database_path(context.database, context.environment, fs::current_path().string());
}

bool database_exists(const Context& context) {
  const auto path = database_of(context);
  std::error_code ignored;
  return path && fs::exists(*path, ignored);
}

Result<std::unique_ptr<StudyStore>> open_database(const Context& context,
                                                  StudyStore::Access access) {
  TRY_ASSIGN(const std::string path, database_of(context));
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
  auto store = StudyStore::open(path, access, context.clock);
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

Result<RunWords> parse_run_words(const std::string& text) {
  const Error refusal{ErrorCode::invalid, "'" + text +
                                              "' is not the name of a run; expected STUDY/r17, or "
                                              "r17 for the newest study (r17-a2: its attempt 2)"};
  RunWords words;
  std::string_view run = text;
  if (const auto slash = text.rfind('/'); slash != std::string::npos) {
    words.study = text.substr(0, slash);
    if (words.study.empty()) return refusal;
    run.remove_prefix(slash + 1);
  }
  if (run.size() < 2 || run.front() != 'r') return refusal;
  run.remove_prefix(1);
  if (const auto dash = run.find("-a"); dash != std::string_view::npos) {
    if (dash + 2 >= run.size()) return refusal;
    words.attempt = positive(run.substr(dash + 2));
    if (words.attempt == 0) return refusal;
    run = run.substr(0, dash);
  }
  if (run.empty()) return refusal;
  words.run = positive(run);
  if (words.run == 0) return refusal;
  return words;
}

Result<FoundRun> find_run(StudyStore& store, const std::string& text) {
  TRY_ASSIGN(const RunWords words, parse_run_words(text));
  FoundRun found;
  found.attempt = words.attempt;
  TRY_ASSIGN(found.study, find_study(store, words.study));
  TRY_ASSIGN(const std::vector<RunRow> runs, store.runs(found.study.row));
  const auto named = std::ranges::find(runs, words.run, &RunRow::number);
  if (named == runs.end()) {
    return Error{ErrorCode::not_found, found.study.id + " has no run r" +
                                           std::to_string(words.run) + "; it has " +
                                           std::to_string(runs.size()) +
                                           " runs, see 'kneepoint status " + found.study.id + "'"};
  }
  found.run = *named;
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

bool is_live(const Lease& lease, Nanoseconds wall_now) {
  if (lease.host == this_host()) return is_process_alive(lease);
  return wall_now - lease.heartbeat_ns < kHeartbeatFresh;
}

std::string holder_text(const Lease& lease) {
  return "process " + std::to_string(lease.pid) + " on " + lease.host;
}

// Leases end with the process that holds them, however it ends: a dead holder's lease is free.
Result<HeldLease> HeldLease::take(StudyStore& store, const StudyRow& study, const Clock& clock) {
  const Lease lease{this_host(), ::getpid(), clock.wall()};
  TRY(store.acquire_lease(study.row, lease, is_process_alive));
  return HeldLease(lease, {&store, GiveBack{study.row}});
}

void HeldLease::GiveBack::operator()(StudyStore* store) const {
  if (auto released = store->release_lease(study); !released) {
    log_warning("", "the lease could not be given back: " + released.error().message);
  }
}

}  // namespace kneepoint
