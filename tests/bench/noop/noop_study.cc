// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/noop/noop_study.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>

#include "orchestrator/base/clock.h"
#include "orchestrator/store/study_store.h"

extern char** environ;

namespace kneepoint::bench {

double floor_per_run(int runs) {
  const std::string folder = fresh_folder("floor");
  char program[] = "/bin/echo", argument[] = "t=0.5";
  char* const argv[] = {program, argument, nullptr};
  const Nanoseconds began = system_clock().steady();
  for (int i = 0; i < runs; ++i) {
    const std::string own = folder + "/r" + std::to_string(i);
    EXPECT_EQ(mkdir(own.c_str(), 0755), 0) << own;
    const std::string output = own + "/stdout.txt";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_EXCL,
                                     0644);
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, program, &actions, nullptr, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  return to_seconds(system_clock().steady() - began) / runs;
}

NoopStudy::NoopStudy(const std::string& name, int runs)
    : runs_(runs),
      folder_(fresh_folder(name)),
      plan_(folder_ + "/noop.yaml"),
      database_(folder_ + "/kneepoint.db") {
  // A plan takes at most 1,000 repeats at a point; beyond that there are several cases.
  const int repeats = std::min(runs, 1000);
  std::string copies = "1";
  for (int copy = 2; copy <= runs / repeats; ++copy) copies += ", " + std::to_string(copy);
  write_file(plan_,
             "study: noop\n"
             "worker: rank\n"
             "scale: [1]\n"
             "modes: [strong]\n"
             "workloads:\n"
             "  - name: echo\n"
             "    command: [\"/bin/echo\", \"t=0.5\", \"{copy}\"]\n"
             "    mpi: false\n"
             "    parameters: {copy: [" +
                 copies +
                 "]}\n"
                 "    metrics:\n"
                 "      time: {pattern: \"t=([0-9.]+)\", unit: s}\n"
                 "repeat: " +
                 std::to_string(repeats) +
                 "\n"
                 "limits: {timeout: 1m}\n");
}

ChildEnd NoopStudy::timed(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {KP_BIN_DIR "/kneepoint"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  ChildEnd end = run_child(argv, {"KNEEPOINT_DB=" + database_});
  EXPECT_EQ(end.exit_code, 0) << arguments[0] << ": " << end.output.substr(0, 4000);
  return end;
}

double NoopStudy::run() {
  const double seconds = timed({"run", plan_}).seconds / runs_;
  auto store = StudyStore::open(database_, StudyStore::Access::read_only, system_clock());
  if (!store) {
    ADD_FAILURE() << store.error().message;
    return seconds;
  }
  auto studies = (*store)->studies();
  if (!studies || studies->size() != 1) {
    ADD_FAILURE() << "one study expected in " << database_;
    return seconds;
  }
  EXPECT_EQ(studies->front().state, "finished");
  EXPECT_EQ(studies->front().runs, runs_);
  EXPECT_EQ(studies->front().succeeded, runs_);
  EXPECT_EQ(studies->front().failed, 0);
  return seconds;
}

double NoopStudy::resume() {
  return timed({"run", plan_}).cpu_seconds;
}

double NoopStudy::status() {
  return timed({"status", "noop"}).cpu_seconds;
}

double NoopStudy::report() {
  return timed({"report", "noop"}).cpu_seconds;
}

}  // namespace kneepoint::bench
