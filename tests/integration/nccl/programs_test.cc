// SPDX-License-Identifier: Apache-2.0
//
// Both programs with one to four ranks on the stand-ins: answers, work, metrics, provenance.
#include <cmath>

#include "tests/integration/nccl/stand_ins.h"

namespace kneepoint::workloads {
namespace {

void expect_right(const Outcome& o, int ranks) {
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  EXPECT_TRUE(o.refused.empty()) << o.refused.front();
  EXPECT_TRUE(o.records.problems.empty()) << o.records.problems.front();
  ASSERT_TRUE(o.records.check.has_value());
  EXPECT_TRUE(o.records.check->passed) << o.records.check->detail;
  ASSERT_EQ(o.records.ranks.size(), static_cast<std::size_t>(ranks));
  EXPECT_EQ(fact(o.records, "device"), "CPU stand-in (no GPU)");
  EXPECT_EQ(fact(o.records, "cuda.driver"), "none");
  EXPECT_NE(fact(o.records, "nccl"), "");
  for (const auto& s : o.records.samples) {
    EXPECT_EQ(s.compute_ns + s.communication_ns + s.other_ns, s.mean_ns);
    EXPECT_GE(s.communication_ns, 0);
    EXPECT_GE(s.other_ns, 0);
  }
}

class NcclRanks : public NcclTest, public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Gpus, NcclRanks, ::testing::Values(1, 2, 3, 4),
                         [](const auto& test) { return "K" + std::to_string(test.param); });

TEST_P(NcclRanks, EveryCollectiveIsRightAndItsRatesAreThoseOfNcclTests) {
  const int ranks = GetParam();
  for (const char* collective : {"all_reduce", "reduce_scatter", "all_gather"}) {
    SCOPED_TRACE(collective);
    const Outcome o = on_stand_ins(ranks, "nccl_allreduce",
                                   {"--size", "98304", "--factor", "8", "--repeats", "2",
                                    "--iterations", "2", "--collective", collective});
    expect_right(o, ranks);
    const double algbw = metric(o.records, "algbw"), busbw = metric(o.records, "busbw");
    const double part = (ranks - 1.0) / ranks;
    EXPECT_GT(algbw, 0);
    EXPECT_NEAR(busbw, algbw * (collective == std::string("all_reduce") ? 2 * part : part),
                1e-9 * algbw);
    EXPECT_GT(metric(o.records, "largest_by_events"), 0);
    EXPECT_GT(metric(o.records, "largest_by_wall"), 0);
    const std::int64_t unit = collective == std::string("all_reduce") ? 4 : 4 * ranks;
    const std::string largest = "algbw." + std::to_string(98304 / unit * unit);
    EXPECT_DOUBLE_EQ(metric(o.records, largest), algbw) << largest;
  }
}

TEST_P(NcclRanks, TrainingIsRightWithTheGlobalBatchFixedAndWithTheBatchPerGpuFixed) {
  const int ranks = GetParam();
  const std::vector<std::string> net = {"--width",  "24",   "--layers",     "3",
                                        "--bucket", "1000", "--iterations", "2"};
  auto strong = net, weak = net;
  strong.insert(strong.end(), {"--size", "37", "--mode", "strong"});
  weak.insert(weak.end(), {"--size", std::to_string(8 * ranks), "--mode", "weak"});
  const Outcome fixed = on_stand_ins(ranks, "nccl_data_parallel", strong);
  expect_right(fixed, ranks);
  EXPECT_DOUBLE_EQ(total_work(fixed.records), 37) << "shards that differ by one sample";
  EXPECT_EQ(metric(fixed.records, "buckets"), 3);
  EXPECT_GT(metric(fixed.records, "step_by_events"), 0);
  EXPECT_GT(metric(fixed.records, "communication"), 0);
  EXPECT_LE(metric(fixed.records, "exposed_communication"),
            metric(fixed.records, "communication") * (1 + 1e-6));
  // The loss after the same steps on the same batch, whatever the number of GPUs.
  static double first_loss = 0;
  if (first_loss == 0) {
    first_loss = metric(on_stand_ins(1, "nccl_data_parallel", strong).records, "loss");
  }
  EXPECT_NEAR(metric(fixed.records, "loss"), first_loss, 1e-4 * first_loss);

  const Outcome grown = on_stand_ins(ranks, "nccl_data_parallel", weak);
  expect_right(grown, ranks);
  for (const auto& rank : grown.records.ranks) EXPECT_DOUBLE_EQ(rank.work, 8);
}

TEST_F(NcclTest, DamagedAnswersAreCaught) {
  for (const char* program : {"nccl_allreduce", "nccl_data_parallel"}) {
    const Outcome o = on_stand_ins(2, program, small(program, {"--break-answer"}));
    EXPECT_EQ(o.exit_code, 3) << program << ": " << o.errors;
    ASSERT_TRUE(o.records.check.has_value());
    EXPECT_FALSE(o.records.check->passed) << o.records.check->detail;
  }
}

TEST_F(NcclTest, TheTableNamesTheStandInToo) {
  const Outcome o = mpirun(1, "nccl_allreduce", small("nccl_allreduce", {}), false,
                           {{"LD_LIBRARY_PATH", stand_ins()}});
  EXPECT_EQ(o.exit_code, 0) << o.errors;
  EXPECT_NE(o.output.find("# device: CPU stand-in (no GPU)"), std::string::npos) << o.output;
}

TEST_F(NcclTest, ABatchThatLeavesAGpuWithoutASampleIsRefused) {
  const Outcome o = on_stand_ins(2, "nccl_data_parallel", {"--size", "1"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_NE(o.errors.find("--size 1: 2 ranks need a batch of at least one sample each"),
            std::string::npos)
      << o.errors;
}

}  // namespace
}  // namespace kneepoint::workloads
