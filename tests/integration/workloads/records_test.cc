// SPDX-License-Identifier: Apache-2.0
//
// What the harness writes: samples that add up, provenance, placement, how many iterations.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/integration/workloads/mpirun.h"

namespace kneepoint::workloads {
namespace {

TEST(Harness, SamplesAreWarmupFirstAndTheirPartsAddUp) {
  const Outcome o = mpirun(2, "jacobi3d",
                           {"--size", "16", "--sweeps", "3", "--warmup", "2", "--iterations", "3"});
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  const auto& samples = o.records.samples;
  ASSERT_EQ(samples.size(), 5U);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& s = samples[i];
    EXPECT_EQ(s.iteration, static_cast<int>(i));
    EXPECT_EQ(s.warmup, i < 2);
    EXPECT_GT(s.min_ns, 0);
    EXPECT_LE(s.min_ns, s.mean_ns);
    EXPECT_LE(s.mean_ns, s.max_ns);
    EXPECT_EQ(s.compute_ns + s.communication_ns + s.other_ns, s.mean_ns);
    EXPECT_GT(s.compute_ns, 0);
    EXPECT_GT(s.communication_ns, 0);
    EXPECT_GE(s.other_ns, 0);
  }
}

TEST(Harness, RankTotalsAreTheSumsOfTheTimedIterations) {
  const Outcome o = mpirun(1, "synthetic",
                           {"--seconds", "0.02", "--workers", "4", "--work", "sleep",
                            "--iterations", "3", "--warmup", "1"});
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  ASSERT_EQ(o.records.ranks.size(), 1U);
  std::int64_t compute = 0, communication = 0;
  for (const auto& s : o.records.samples) {
    if (s.warmup) continue;
    compute += s.compute_ns;
    communication += s.communication_ns;
  }
  EXPECT_EQ(o.records.ranks[0].compute_ns, compute);
  EXPECT_EQ(o.records.ranks[0].communication_ns, communication);
}

TEST(Harness, MinTimeDecidesHowManyIterations) {
  const Outcome o = mpirun(2, "synthetic",
                           {"--seconds", "0.01", "--c", "0", "--s", "1", "--work", "sleep",
                            "--min-time", "0.05", "--warmup", "0"});
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  ASSERT_TRUE(o.records.done.has_value());
  std::int64_t sum = 0;
  for (const auto& s : o.records.samples) sum += s.max_ns;
  EXPECT_GE(sum, 50'000'000);
  EXPECT_LT(sum - o.records.samples.back().max_ns, 50'000'000) << "one iteration too many";
  EXPECT_EQ(o.records.done->iterations, static_cast<int>(o.records.samples.size()));
}

TEST(Harness, ProvenanceNamesCompilerFlagsMpiAndKernels) {
  const Outcome o = mpirun(1, "monte_carlo", {"--size", "100", "--iterations", "1"});
  ASSERT_EQ(o.records.provenance.size(), 1U);
  EXPECT_EQ(o.records.provenance[0].scope, "workload");
  EXPECT_EQ(fact(o.records, "program"), "kp-monte_carlo");
  for (const char* name :
       {"version", "compiler", "flags", "kernels", "mpi.library", "mpi.standard", "threads"}) {
    EXPECT_NE(fact(o.records, name), "") << name;
    EXPECT_EQ(fact(o.records, name).find('\0'), std::string::npos) << name;
  }
}

TEST(Harness, RanksSayWhereTheyRan) {
  const Outcome o = mpirun(2, "monte_carlo", {"--size", "100", "--iterations", "1"}, true,
                           {{"KNEEPOINT_NODE", "node-under-test"}});
  ASSERT_EQ(o.records.ranks.size(), 2U);
  for (int rank : {0, 1}) {
    const auto& r = o.records.ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(r.rank, rank);
    EXPECT_EQ(r.host, "node-under-test");
    EXPECT_FALSE(r.cpus.empty());
  }
}

TEST(Harness, OneThreadPerRankUnlessTheEnvironmentSaysOtherwise) {
  const std::vector<std::string> arguments = {"--size", "100", "--iterations", "1"};
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(fact(mpirun(1, "monte_carlo", arguments).records, "threads"), "1");
#ifdef _OPENMP
  const Outcome two = mpirun(1, "monte_carlo", arguments, true, {{"OMP_NUM_THREADS", "2"}});
  EXPECT_EQ(fact(two.records, "threads"), "2");
#endif
}

TEST(Harness, RecordsThatCantBeWrittenEndTheRun) {
  const Outcome o =
      mpirun(2, "monte_carlo", {"--size", "100"}, false, {{"KNEEPOINT_RECORDS", "/dev/full"}});
  EXPECT_NE(o.exit_code, 0);
  EXPECT_NE(o.errors.find("write /dev/full"), std::string::npos) << o.errors;
}

TEST(Synthetic, FollowsItsFormulaWithWorkersUnlikeRanks) {
  // K = 4 by --workers on two sleeping ranks: compute 0.05 + 0.95/4, communication 0.01 * 2.
  const Outcome strong =
      mpirun(2, "synthetic",
             {"--seconds", "0.4", "--work", "sleep", "--workers", "4", "--iterations", "2"});
  ASSERT_EQ(strong.exit_code, 0) << strong.errors;
  const auto& s = strong.records.samples.back();
  EXPECT_GE(s.compute_ns, 115'000'000);
  EXPECT_GE(s.max_ns, 123'000'000);
  // Both sleep to a deadline, so a late end of the first shortens the second, never their sum.
  EXPECT_GE(s.compute_ns + s.communication_ns, 120'000'000);
  EXPECT_DOUBLE_EQ(total_work(strong.records), 1);

  const Outcome weak = mpirun(2, "synthetic",
                              {"--seconds", "0.1", "--work", "sleep", "--workers", "4",
                               "--iterations", "2", "--mode", "weak"});
  ASSERT_EQ(weak.exit_code, 0) << weak.errors;
  EXPECT_GE(weak.records.samples.back().max_ns, 102'000'000);
  EXPECT_DOUBLE_EQ(total_work(weak.records), 4);
}

TEST(Allreduce, ReportsLatencyBandwidthAndFit) {
  const Outcome o = mpirun(2, "allreduce", {"--size", "65536", "--repeats", "5"});
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  EXPECT_GE(metric(o.records, "alpha"), 0);
  EXPECT_GE(metric(o.records, "beta"), 0);
  EXPECT_GT(metric(o.records, "alpha") + metric(o.records, "beta"), 0);
  EXPECT_GT(metric(o.records, "busbw"), 0);
  std::vector<std::string> units;
  for (const auto& m : o.records.metrics) units.push_back(m.unit);
  EXPECT_EQ(units, (std::vector<std::string>{"s", "s/byte", "GB/s", ""}));
}

}  // namespace
}  // namespace kneepoint::workloads
