// SPDX-License-Identifier: Apache-2.0
//
// Pods that never come, go away, or are told to end. What was not begun stays not begun, what was
// begun says why it ended, and nothing is left running.
#include <csignal>

#include "orchestrator/base/clock.h"
#include "tests/fault/agent/pods_fixture.h"

namespace kneepoint::agent {
namespace {

constexpr int kPeerGone = 69;
constexpr int kToldToEnd = 143;

bool lost_has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class LostPodsTest : public PodsTest {
 protected:
  // A step whose ranks write their pids into the pods' work folders and then wait.
  TestStep hanging(bool by_mpirun) {
    const std::string script =
        "echo $$ > $HOME/pid.new; mv $HOME/pid.new $HOME/pid; exec sleep 100";
    return step_of(by_mpirun ? mpirun(shell(script)) : spread({}, script));
  }
  void wait_for_ranks() {
    for (int pod = 0; pod < kPods; ++pod) {
      wait_until("a rank in pod " + std::to_string(pod), [&] { return rank_pid(pod) > 0; });
    }
  }
  pid_t rank_pid(int pod) const { return std::atoi(read(work(pod) + "/home/pid").c_str()); }
  void expect_no_rank_left() {
    for (int pod = 0; pod < kPods; ++pod) {
      wait_until("rank gone in pod " + std::to_string(pod),
                 [&] { return !is_alive(rank_pid(pod)); });
    }
  }
  void expect_lost(const std::string& detail) {
    const auto r = logged_records(1);
    EXPECT_EQ(word(r), "lost/node_failed");
    ASSERT_TRUE(r.end);
    EXPECT_TRUE(r.complete);
    EXPECT_TRUE(lost_has(end_of(r).detail, "pod kp-test.invalid-2.kp-test.invalid " + detail))
        << end_of(r).detail;
    EXPECT_FALSE(exists(run_dir(2))) << "the next step must not begin";
    EXPECT_TRUE(lost_has(messages(0), detail)) << messages(0);
  }
};

TEST_F(LostPodsTest, a_pod_that_never_comes_is_named_and_nothing_has_begun) {
  start_listening_peer(1);
  start_leader({step_of(shell("echo time 1"))}, 5);
  EXPECT_EQ(exit_of(0), kPeerGone);
  EXPECT_TRUE(lost_has(messages(0),
                       "pod kp-test.invalid-2.kp-test.invalid did not come within 5 s: "
                       "connect: Connection refused"))
      << messages(0);
  EXPECT_FALSE(exists(run_dir(1)));
  EXPECT_TRUE(logged().empty());
  EXPECT_EQ(exit_of(1), kPeerGone) << "it had a leader, who has gone";
}

TEST_F(LostPodsTest, a_pod_with_another_key_is_no_pod_of_ours) {
  start_listening_peer(1);
  start_listening_peer(2, std::string(64, 'f'));
  start_leader({step_of(shell("echo time 1"))}, 5);
  EXPECT_EQ(exit_of(0), kPeerGone);
  EXPECT_TRUE(lost_has(messages(0), "it does not know the allocation's key")) << messages(0);
  EXPECT_FALSE(exists(run_dir(1)));
}

TEST_F(LostPodsTest, a_pod_that_comes_late_is_waited_for) {
  start_leader({step_of(shell("echo time 1"))});
  start_peer(1);
  wait_until("the leader has linked one", [&] { return exists(work(1) + "/home"); });
  start_peer(2);
  for (int pod = 0; pod < kPods; ++pod) EXPECT_EQ(exit_of(pod), 0) << messages(pod);
}

TEST_F(LostPodsTest, a_pod_killed_in_mid_run_ends_the_step_of_mpirun) {
  start_all({hanging(true), step_of(shell("echo time 1"))});
  wait_for_ranks();
  kill(pid(2), SIGKILL);
  EXPECT_EQ(exit_of(0), kPeerGone);
  EXPECT_EQ(exit_of(1), 0) << messages(1);
  kill(rank_pid(2), SIGKILL);               // in a pod it would have died with its agent
  expect_lost("is gone: the connection ");  // closed, or broken if we had just written
  expect_no_rank_left();
}

TEST_F(LostPodsTest, a_pod_that_falls_silent_ends_the_step) {
  start_all({hanging(true), step_of(shell("echo time 1"))});
  wait_for_ranks();
  kill(pid(2), SIGSTOP);
  EXPECT_EQ(exit_of(0), kPeerGone);
  expect_lost("is gone: no sign of life for 8 s");
  kill(pid(2), SIGCONT);
  EXPECT_EQ(exit_of(2), kPeerGone) << messages(2);
  expect_no_rank_left();
}

TEST_F(LostPodsTest, a_pod_told_to_end_alone_is_lost) {
  start_all({hanging(false), step_of(shell("echo time 1"))});
  wait_for_ranks();
  kill(pid(2), SIGTERM);
  EXPECT_EQ(exit_of(0), kPeerGone);
  EXPECT_EQ(exit_of(2), kToldToEnd) << messages(2);
  expect_lost("was told to end");
  expect_no_rank_left();
}

TEST_F(LostPodsTest, when_all_are_told_to_end_the_step_is_cancelled) {
  start_all({hanging(true), step_of(shell("echo time 1"))});
  wait_for_ranks();
  for (const int pod : {1, 2, 0}) kill(pid(pod), SIGTERM);
  for (int pod = 0; pod < kPods; ++pod) EXPECT_EQ(exit_of(pod), kToldToEnd) << messages(pod);
  const auto r = logged_records(1);
  EXPECT_EQ(word(r), "cancelled/user_cancelled");
  EXPECT_FALSE(exists(run_dir(2)));
  expect_no_rank_left();
}

TEST_F(LostPodsTest, without_their_leader_the_others_end_what_they_run) {
  start_all({hanging(false)});
  wait_for_ranks();
  kill(pid(0), SIGKILL);
  EXPECT_EQ(exit_of(0), 1000 + SIGKILL);
  for (const int pod : {1, 2}) {
    EXPECT_EQ(exit_of(pod), kPeerGone);
    EXPECT_TRUE(lost_has(messages(pod), "the leader, kp-test.invalid-0.kp-test.invalid, is gone"));
  }
  expect_no_rank_left();
}

}  // namespace
}  // namespace kneepoint::agent
