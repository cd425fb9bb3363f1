// SPDX-License-Identifier: Apache-2.0
//
// What the machine can do comes with the runs of a workload that states its flops: measured once,
// not for others, not when switched off, and without harm when it fails.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class Machine : public testing::Test {
 protected:
  Machine() { ::setenv("XDG_RUNTIME_DIR", place_.path().c_str(), 1); }  // nobody's facts but ours

  // A probe that leaves a line in `probed` each time.
  void use_probe(const std::string& answer) {
    const std::string path = place_.write(
        "probe", "#!/bin/sh\necho once >> '" + place_.path() + "/probed'\n" + answer + "\n");
    ::chmod(path.c_str(), 0755);
    ::setenv("KNEEPOINT_MACHINE_PROBE", path.c_str(), 1);
  }

  std::string echo_plan(const std::string& flops) {
    return place_.write("plan.yaml", R"y(study: echo
scale: [1]
modes: [strong]
workloads:
  - name: echo
    command: [/bin/echo, "t=0.5"]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)"}}
)y" + flops + "repeat: 2\n");
  }

  std::string fact_of(const std::string& run, const std::string& name) {
    const auto told = place_.kneepoint({"explain", run, "--json"});
    const json story = json::parse(told.output, nullptr, false);
    EXPECT_FALSE(story.is_discarded()) << told.errors;
    for (const json& fact : story["attempts"][0]["provenance"]) {
      if (fact["name"] == name) return fact["value"];
    }
    return "";
  }

  Place place_;
};

const std::string kAnswer =
    R"(echo '{"v":1,"seq":0,"type":"provenance","scope":"machine","facts":)"
    R"({"machine.flops_per_core":"8e+10","machine.bandwidth_of_node":"2e+10"}}')";

TEST_F(Machine, IsMeasuredOnceForAWorkloadThatStatesItsFlops) {
  use_probe(kAnswer);
  const auto ran = place_.kneepoint({"run", echo_plan("    flops: 1e9\n")});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_EQ(place_.read("probed"), "once\n");
  for (const char* run : {"r1", "r2"}) {
    EXPECT_EQ(fact_of(run, "machine.flops_per_core"), "8e+10");
    EXPECT_EQ(fact_of(run, "machine.bandwidth_of_node"), "2e+10");
    EXPECT_EQ(fact_of(run, "machine.probe"), "done");
    EXPECT_EQ(fact_of(run, "program.hash").size(), 16U);
    EXPECT_NE(fact_of(run, "memory.major_faults"), "");
  }
}

TEST_F(Machine, IsLeftAloneByAWorkloadThatKnowsNoFlops) {
  use_probe(kAnswer);
  const auto ran = place_.kneepoint({"run", echo_plan("")});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_EQ(place_.read("probed"), "");
  EXPECT_EQ(fact_of("r1", "machine.flops_per_core"), "");
}

TEST_F(Machine, WhoseProbeFailsHarmsNoRun) {
  use_probe("exit 9");
  const auto ran = place_.kneepoint({"run", echo_plan("    flops: 1e9\n")});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_EQ(place_.read("probed"), "once\n");
  EXPECT_EQ(fact_of("r1", "machine.flops_per_core"), "");
  EXPECT_EQ(fact_of("r2", "machine.probe"), "failed");
}

TEST_F(Machine, IsNotMeasuredWhenSwitchedOff) {
  ::setenv("KNEEPOINT_MACHINE_PROBE", "off", 1);
  const auto ran = place_.kneepoint({"run", echo_plan("    flops: 1e9\n")});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_EQ(fact_of("r1", "machine.probe"), "");
}

TEST_F(Machine, IsAskedByTheProgramBesideTheAgent) {
  ::unsetenv("KNEEPOINT_MACHINE_PROBE");
  const auto ran = place_.kneepoint({"run", echo_plan("    flops: 1e9\n")});
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  // On a machine that is too busy it is stopped, and says so.
  EXPECT_NE(fact_of("r1", "machine.probe"), "");
}

}  // namespace
}  // namespace kneepoint
