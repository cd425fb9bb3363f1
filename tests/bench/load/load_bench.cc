// SPDX-License-Identifier: Apache-2.0
//
// A study of 10,000 runs on the simulated cluster, from checking the plan to its report.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/store/study_store.h"
#include "tests/bench/child.h"

namespace kneepoint::bench {
namespace {

constexpr double kMostSeconds = 60;
constexpr double kMostMegabytes = 200;
constexpr int kRuns = 10'000;

TEST(Load, TenThousandRunsAreCheckedRunAndReportedWithinAMinuteAnd200Megabytes) {
  const std::string database = fresh_folder("load") + "/kneepoint.db";
  const std::string plan = KP_SOURCE_DIR "/plans/load-test.yaml";
  const std::string site = KP_SOURCE_DIR "/plans/sites/simulated.yaml";
  const auto kneepoint = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), KP_BIN_DIR "/kneepoint");
    const ChildEnd end = run_child(arguments, {"KNEEPOINT_DB=" + database});
    EXPECT_EQ(end.exit_code, 0) << arguments[1] << ": " << end.output.substr(0, 4000);
    return end;
  };
  const ChildEnd check = kneepoint({"check", plan, "--site", site});
  const ChildEnd run = kneepoint({"run", plan, "--site", site});
  const ChildEnd report = kneepoint({"report"});
  const double total = check.cpu_seconds + run.cpu_seconds + report.cpu_seconds;
  std::printf(
      "bench: 10,000 simulated runs: check %.2f s, run %.2f s, report %.2f s, of that %.2f s on a "
      "CPU; peak memory %.0f MB\n",
      check.seconds, run.seconds, report.seconds, total, run.peak_megabytes);
  EXPECT_LT(total, kMostSeconds);
  EXPECT_LT(run.peak_megabytes, kMostMegabytes);
  EXPECT_LT(report.peak_megabytes, kMostMegabytes);

  auto store = StudyStore::open(database, StudyStore::Access::read_only, system_clock());
  ASSERT_TRUE(store) << store.error().message;
  auto studies = (*store)->studies();
  ASSERT_TRUE(studies);
  ASSERT_EQ(studies->size(), 1u);
  EXPECT_EQ(studies->front().state, "finished");
  EXPECT_GE(studies->front().runs, kRuns);
  EXPECT_EQ(studies->front().succeeded + studies->front().failed, studies->front().runs);
}

}  // namespace
}  // namespace kneepoint::bench
