// SPDX-License-Identifier: Apache-2.0
//
// The same through mpirun: it stands between the agent and the ranks, and must not hide what became
// of them.
#include <csignal>
#include <filesystem>

#include "orchestrator/base/clock.h"
#include "tests/fault/agent/agent_fixture.h"

namespace kneepoint::agent {
namespace {

TestStep two_ranks(std::vector<std::string> argv) {
  TestStep step;
  step.argv = {"mpirun", "--oversubscribe", "-n", "2"};
  step.argv.insert(step.argv.end(), argv.begin(), argv.end());
  step.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  step.ranks = 2;
  return step;
}

TEST_F(AgentTest, a_rank_killed_under_mpirun_is_told_by_its_signal_and_the_code_is_kept) {
  const auto r = run_one(two_ranks(misbehave("kill-self")));
  EXPECT_EQ(word(r), "failed/killed_by_signal") << end_of(r).detail;
  EXPECT_EQ(end_of(r).signal, SIGKILL);
  EXPECT_EQ(end_of(r).exit_code, 128 + SIGKILL);
  EXPECT_NE(fact_of(r, "mpi.version").find("Open MPI"), std::string::npos);
}

TEST_F(AgentTest, a_rank_that_exits_with_an_error_is_told_by_its_code) {
  const auto r = run_one(two_ranks(misbehave("exit", "5")));
  EXPECT_EQ(word(r), "failed/exit_code") << end_of(r).detail;
  EXPECT_EQ(end_of(r).exit_code, 5);
}

TEST_F(AgentTest, a_program_that_mpirun_cannot_find_was_not_started) {
  const auto r = run_one(two_ranks({"no-such-program-anywhere"}));
  EXPECT_EQ(word(r), "failed/not_started") << end_of(r).detail;
  EXPECT_NE(end_of(r).detail.find("'no-such-program-anywhere'"), std::string::npos)
      << end_of(r).detail;
}

// How long mpirun takes to start two ranks is the machine's matter: the limit grows until it lies
// behind their start.
TEST_F(AgentTest, ranks_that_hang_are_gone_after_the_limit) {
  TestStep step = two_ranks(misbehave("samples-then-hang"));
  std::size_t ranks = 0;
  for (step.limit_ns = 2 * kSecond; ranks < 2 && step.limit_ns < 3 * kMinute; step.limit_ns *= 3) {
    std::filesystem::remove_all(run_dir(1));
    const auto r = run_one(step);
    EXPECT_EQ(word(r), "timed_out/time_limit") << end_of(r).detail;
    const std::string pids = read(run_dir(1) + "/stdout.txt");
    ranks = 0;
    for (std::size_t at = 0, end; (end = pids.find('\n', at)) != std::string::npos; at = end + 1) {
      EXPECT_FALSE(is_alive(std::stoi(pids.substr(at, end - at))));
      ++ranks;
    }
  }
  EXPECT_EQ(ranks, 2u);
}

}  // namespace
}  // namespace kneepoint::agent
