// SPDX-License-Identifier: Apache-2.0
//
// Every workload with 1, 2 and 3 ranks: the answer is right, the work adds up to the global
// problem, damaged answers are caught. Sizes are odd on purpose, so that nothing divides.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/integration/workloads/mpirun.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {
namespace {

struct Program {
  const char* name;
  std::vector<std::string> arguments;
  double work;         // of all ranks in one iteration, strong mode
  const char* answer;  // a metric that may not depend on the number of ranks; "" if none
  double tolerance;    // relative
};

const std::vector<Program>& programs() {
  static const std::vector<Program> all = {
      {"jacobi3d", {"--size", "17", "--sweeps", "7"}, 17.0 * 17 * 17 * 7, "", 0},
      {"conjugate_gradient",
       {"--size", "13", "--steps", "9"},
       13.0 * 13 * 13 * 9,
       "residual",
       1e-9},
      {"data_parallel", {"--size", "37", "--width", "24", "--layers", "2"}, 37, "loss", 1e-5},
      {"monte_carlo", {"--size", "200001"}, 200001, "pi", 0},
      {"allreduce",
       {"--size", "4096", "--repeats", "3"},
       (16 + 64 + 256 + 1024 + 4096) * 3.0,
       "",
       0},
      {"tensor_parallel",
       {"--size", "33", "--layers", "3", "--tokens", "2"},
       2.0 * 33 * 4 * 33 * 3 * 2,
       "state_norm",
       1e-5},
      {"synthetic", {"--seconds", "0.01", "--work", "sleep"}, 1, "", 0}};
  return all;
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class Programs : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Program& program() const { return programs()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(All, Programs, ::testing::Range<std::size_t>(0, 7),
                         [](const auto& test) { return std::string(programs()[test.param].name); });

TEST_P(Programs, AnswerIsRightAndWorkAddsUpForOneTwoAndThreeRanks) {
  double first_answer = 0;
  for (const int ranks : {1, 2, 3}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const Outcome o =
        mpirun(ranks, program().name, with(program().arguments, {"--iterations", "2"}));
    ASSERT_EQ(o.exit_code, 0) << o.errors;
    EXPECT_TRUE(o.refused.empty()) << o.refused.front();
    EXPECT_TRUE(o.records.problems.empty()) << o.records.problems.front();
    ASSERT_TRUE(o.records.check.has_value());
    EXPECT_TRUE(o.records.check->passed) << o.records.check->detail;
    ASSERT_TRUE(o.records.done.has_value());
    EXPECT_EQ(o.records.done->iterations, 2);
    ASSERT_EQ(o.records.ranks.size(), static_cast<std::size_t>(ranks));
    EXPECT_NEAR(total_work(o.records), program().work, 1e-9 * program().work);
    if (*program().answer == '\0') continue;
    const double answer = metric(o.records, program().answer);
    ASSERT_TRUE(std::isfinite(answer)) << program().answer;
    if (ranks == 1) first_answer = answer;
    EXPECT_NEAR(answer, first_answer, program().tolerance * std::abs(first_answer));
  }
}

TEST_P(Programs, DamagedAnswerIsReportedAndExitsWithThree) {
  for (const int ranks : {kAlone, 2}) {
    const Outcome o = mpirun(ranks, program().name,
                             with(program().arguments, {"--iterations", "1", "--break-answer"}));
    EXPECT_EQ(o.exit_code, 3) << o.errors;
    ASSERT_TRUE(o.records.check.has_value());
    EXPECT_FALSE(o.records.check->passed) << o.records.check->detail;
    EXPECT_NE(o.errors.find("wrong answer: " + o.records.check->detail), std::string::npos);
  }
}

TEST_P(Programs, ThreadsInsideARankGiveTheSameAnswer) {
  const Outcome o = mpirun(1, program().name, with(program().arguments, {"--iterations", "1"}),
                           true, {{"OMP_NUM_THREADS", "2"}});
  EXPECT_EQ(o.exit_code, 0) << o.errors;
  ASSERT_TRUE(o.records.check.has_value());
  EXPECT_TRUE(o.records.check->passed) << o.records.check->detail;
}

TEST_P(Programs, EveryKernelSetGivesARightAnswer) {
  for (int i = 0; i < kernel_set_count(); ++i) {
    const std::string set = kernel_set(i).name;
    const Outcome o = mpirun(1, program().name, with(program().arguments, {"--iterations", "1"}),
                             true, {{"KNEEPOINT_KERNELS", set}});
    EXPECT_EQ(o.exit_code, 0) << set << ": " << o.errors;
    EXPECT_EQ(fact(o.records, "kernels"), set);
  }
}

TEST(Kernels, AnUnknownSetIsRefusedByName) {
  const Outcome o = mpirun(1, "monte_carlo", {}, true, {{"KNEEPOINT_KERNELS", "abacus"}});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_NE(o.errors.find("KNEEPOINT_KERNELS 'abacus': expected one of"), std::string::npos)
      << o.errors;
}

TEST_P(Programs, WithoutAFileForRecordsATableIsPrinted) {
  const Outcome o =
      mpirun(1, program().name, with(program().arguments, {"--iterations", "2"}), false);
  EXPECT_EQ(o.exit_code, 0) << o.errors;
  EXPECT_NE(o.output.find("iteration"), std::string::npos);
  EXPECT_NE(o.output.find("answer right"), std::string::npos);
  EXPECT_NE(o.output.find("done, 2 timed iterations"), std::string::npos);
}

TEST_P(Programs, BadArgumentsExitWithTwo) {
  const Outcome o = mpirun(kAlone, program().name, {"--iterations", "none"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.errors, std::string("kp-") + program().name +
                          ": --iterations 'none': expected a whole number from 1 to 1000000000\n");
  EXPECT_FALSE(o.records.done.has_value());
}

TEST(Harness, RankZeroAloneComplainsOfBadArguments) {
  const Outcome o = mpirun(2, "monte_carlo", {"--sizes", "7"});
  EXPECT_EQ(o.exit_code, 2);
  const std::string sentence =
      "kp-monte_carlo: unknown argument '--sizes'; did you mean '--size'?\n";
  const auto at = o.errors.find(sentence);
  ASSERT_NE(at, std::string::npos) << o.errors;
  EXPECT_EQ(o.errors.find(sentence, at + 1), std::string::npos) << "said more than once";
}

TEST(GridPrograms, RefuseACubeThatLeavesARankWithoutCells) {
  const Outcome o = mpirun(3, "jacobi3d", {"--size", "2"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_NE(o.errors.find("3 ranks are laid out as 1x1x3, so that the edge must be at least 3"),
            std::string::npos)
      << o.errors;
}

TEST(GridPrograms, AreRightWhenCutInThreeDirections) {
  for (const char* program : {"jacobi3d", "conjugate_gradient"}) {
    const Outcome o = mpirun(8, program, {"--size", "11", "--iterations", "1"});
    EXPECT_EQ(o.exit_code, 0) << o.errors;
    ASSERT_EQ(o.records.ranks.size(), 8U);
    double most = 0, least = INFINITY;
    for (const auto& rank : o.records.ranks) {
      most = std::max(most, rank.work);
      least = std::min(least, rank.work);
    }
    EXPECT_DOUBLE_EQ(most / least, 216.0 / 125.0) << "boxes of 6^3 down to 5^3 cells";
  }
}

TEST(TinyProblems, AreRightToo) {
  EXPECT_EQ(mpirun(1, "jacobi3d", {"--size", "1"}).exit_code, 0);
  EXPECT_EQ(mpirun(2, "conjugate_gradient", {"--size", "2"}).exit_code, 0);
  EXPECT_EQ(mpirun(2, "data_parallel", {"--size", "2", "--width", "1", "--layers", "1"}).exit_code,
            0);
  EXPECT_EQ(mpirun(2, "monte_carlo", {"--size", "1"}).exit_code, 0);
  EXPECT_EQ(mpirun(2, "allreduce", {"--size", "8"}).exit_code, 0);
  EXPECT_EQ(mpirun(3, "tensor_parallel", {"--size", "1"}).exit_code, 0);
}

}  // namespace
}  // namespace kneepoint::workloads
