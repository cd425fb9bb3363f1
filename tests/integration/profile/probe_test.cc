// SPDX-License-Identifier: Apache-2.0
//
// The examples of docs/how-to/instrument.md, taken from the page, compiled and run under the agent
// and without it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/io/subprocess.h"
#include "tests/fakes/patience.h"
#include "tests/fakes/present.h"
#include "tests/integration/profile/agent_run.h"

namespace kneepoint::profile {
namespace {

const std::string kBin = KP_BIN_DIR;
const std::string kProbe = KP_SOURCE_DIR "/agents/probe";

std::string example(const std::string& language) {
  std::ifstream page(KP_SOURCE_DIR "/docs/how-to/instrument.md");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (inside && line == "```") break;
    if (inside) text += line + "\n";
    if (line == "```" + language) inside = true;
  }
  return text;
}

class Probe : public testing::Test {
 protected:
  Probe() {
    std::string name = (std::filesystem::temp_directory_path() / "kp-probe-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Probe() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string write(const std::string& name, const std::string& text) const {
    EXPECT_FALSE(text.empty()) << "the page has no such example";
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

  // The program; "" if it could not be compiled.
  std::string compile(std::vector<std::string> argv) const {
    for (const std::string& word : {std::string("-L" + kBin), std::string("-lkneepoint-probe"),
                                    "-Wl,-rpath," + kBin, std::string("-o"), folder_ + "/app"}) {
      argv.push_back(word);
    }
    SpawnOptions options;
    options.argv = std::move(argv);
    const auto made = run_captured(options, kPatience);
    if (made && made->exit_code == 0) return folder_ + "/app";
    ADD_FAILURE() << (made ? made->errors : made.error().message);
    return "";
  }

  static void check(const std::vector<std::string>& program, const std::string& region,
                    std::vector<std::string> environment = {}) {
    const AgentRun run = run_agent(program, {.ranks = 2,
                                             .profile = "none",
                                             .time_from = "probe",
                                             .environment = std::move(environment)});
    ASSERT_EQ(run.problem, "");
    ASSERT_TRUE(run.records.end);
    ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
    ASSERT_EQ(run.records.samples.size(), 10U);
    for (const record::Sample& sample : run.records.samples) {
      EXPECT_FALSE(sample.warmup);
      EXPECT_GT(sample.min_ns, 0);
      EXPECT_EQ(sample.other_ns, sample.mean_ns) << "nobody knows the split";
    }
    bool answer = false, timed = region.empty();
    for (const record::Metric& metric : run.records.metrics) {
      answer = answer || metric.name == "answer";
      timed = timed || (metric.name == "region." + region && metric.value > 0);
    }
    EXPECT_TRUE(answer);
    EXPECT_TRUE(timed);
  }

  std::string folder_;
};

TEST_F(Probe, TheExampleInC) {
  const std::string program = compile({"cc", "-I" + kProbe, write("app.c", example("c"))});
  if (program.empty()) return;
  check({program}, "sum");
  SpawnOptions alone;
  alone.argv = {program};
  alone.without_prefixes = {"KNEEPOINT_"};
  const auto end = run_captured(alone, kPatience);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 0) << "without an agent it does nothing";
}

TEST_F(Probe, TheExampleInCpp) {
  const std::string program = compile({"c++", "-I" + kProbe, write("app.cc", example("cpp"))});
  if (!program.empty()) check({program}, "");
}

TEST_F(Probe, TheExampleInFortran) {
  const std::string compiler = KP_FORTRAN;
  if (compiler.empty()) GTEST_SKIP() << "no Fortran compiler";
  const std::string program = compile({compiler, "-J" + folder_, kProbe + "/kneepoint_probe.f90",
                                       write("app.f90", example("fortran"))});
  if (!program.empty()) check({program}, "");
}

TEST_F(Probe, TheExampleInPython) {
  if (!program_exists("python3")) GTEST_SKIP() << "no python3";
  check({"python3", write("app.py", example("python"))}, "sum", {"PYTHONPATH=" + kBin});
}

TEST_F(Probe, WithTheProfileIterationsAreSplitAndComeHomeByMpi) {
  const AgentRun run = run_agent({std::string(KP_PROFILE_PROGRAMS) + "/kp-test-marked"},
                                 {.ranks = 2, .profile = "mpi", .time_from = "probe"});
  ASSERT_EQ(run.problem, "");
  ASSERT_EQ(end_of(run.records).outcome, "succeeded") << end_of(run.records).detail << run.errors;
  ASSERT_EQ(run.records.samples.size(), 20U);
  for (const record::Sample& sample : run.records.samples) {
    EXPECT_EQ(sample.compute_ns + sample.communication_ns, sample.mean_ns);
    EXPECT_GT(sample.communication_ns, 0);
  }
  // Rank 1 has 200 times the work of rank 0.
  ASSERT_EQ(run.records.ranks.size(), 2U);
  std::int64_t sum = 0;
  for (const record::Sample& sample : run.records.samples) sum += sample.max_ns;
  for (const record::RankTotal& rank : run.records.ranks) {
    EXPECT_LE(rank.compute_ns + rank.communication_ns, sum);
    EXPECT_GT(rank.compute_ns, 0);
  }
  EXPECT_LT(run.records.ranks[0].compute_ns, run.records.ranks[1].compute_ns);
}

}  // namespace
}  // namespace kneepoint::profile
