// SPDX-License-Identifier: Apache-2.0
//
// Pods that work together: ranks by spread and by a real mpirun, what comes home, and who is kept
// out.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "orchestrator/base/clock.h"
#include "tests/fault/agent/pods_fixture.h"

namespace kneepoint::agent {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(PodsTest, a_plain_program_runs_in_every_pod_and_rank_0_gives_the_numbers) {
  run_all({step_of(spread({"-r", "2", "-x", "KP_TEST_WORD"},
                          "echo $RANK of $WORLD_SIZE, $KP_TEST_WORD, in $HOME; "
                          "echo \"records '$KNEEPOINT_RECORDS'\"; "
                          "echo time $((RANK+1)).5"))});
  auto files = logged();
  const auto r = logged_records(1);
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail << files["r1-a1/stderr.txt"];
  ASSERT_EQ(r.metrics.size(), 1u);
  EXPECT_EQ(r.metrics[0].value, 1.5);
  EXPECT_EQ(files["r1-a1/stdout.txt"], "0 of 6, it's here, in " + work(0) + "/home\nrecords '" +
                                           run_dir(1) + "/workload.ndjson'\ntime 1.5\n");
  for (int rank = 1; rank < 2 * kPods; ++rank) {
    const std::string opening = "[" + std::to_string(rank) + "] ";
    EXPECT_TRUE(
        has(files["r1-a1/stderr.txt"],
            opening + std::to_string(rank) + " of 6, it's here, in " + work(rank / 2) + "/home\n"))
        << files["r1-a1/stderr.txt"];
    EXPECT_TRUE(has(files["r1-a1/stderr.txt"], opening + "records ''\n"));
  }
}

TEST_F(PodsTest, the_log_has_every_file_of_every_step_whole) {
  TestStep second = step_of(shell("printf 'time 2\\nno newline'; printf '\\001\\377' >&2"));
  run_all({step_of(shell("seq 2000; echo time 1")), second});
  const auto files = logged();
  for (const char* name : {"r1-a1/records.ndjson", "r1-a1/stdout.txt", "r2-a1/records.ndjson",
                           "r2-a1/stdout.txt", "r2-a1/stderr.txt"}) {
    ASSERT_EQ(files.count(name), 1u) << name;
    EXPECT_EQ(files.at(name), read(folder_ + "/" + name)) << name;
  }
  EXPECT_TRUE(logged_records(2).complete);
}

TEST_F(PodsTest, mpirun_starts_real_ranks_through_the_agents) {
  TestStep step =
      step_of(mpirun({"-x", "LSAN_OPTIONS", KP_BIN_DIR "/kp-allreduce", "--iterations", "3"}));
  // Open MPI's leaks are in plug-ins that it has unloaded by then: no list of libraries fits them.
  step.env.emplace_back("LSAN_OPTIONS", "detect_leaks=0");
  step.own_harness = true;
  step.time_pattern = "";
  step.oversubscribed = true;
  TestStep told = step_of(
      mpirun(shell("echo rank $OMPI_COMM_WORLD_RANK, $KP_TEST_WORD, in $HOME; echo time 1")));
  run_all({step, told});
  const auto r = logged_records(1);
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail << read(run_dir(1) + "/stderr.txt");
  ASSERT_EQ(r.ranks.size(), static_cast<std::size_t>(kPods));
  for (std::size_t rank = 0; rank < r.ranks.size(); ++rank) {
    EXPECT_EQ(r.ranks[rank].host, "node" + std::to_string(r.ranks[rank].rank));
  }
  ASSERT_FALSE(r.provenance.empty());
  EXPECT_EQ(r.provenance[0].scope, "node0");
  EXPECT_EQ(word(logged_records(2)), "succeeded/none");
  const std::string out = logged()["r2-a1/stdout.txt"];
  for (int rank = 0; rank < kPods; ++rank) {
    EXPECT_TRUE(
        has(out, "rank " + std::to_string(rank) + ", it's here, in " + work(rank) + "/home\n"))
        << out;
  }
}

TEST_F(PodsTest, a_rank_that_fails_in_another_pod_is_told_by_its_code_or_signal) {
  run_all({step_of(mpirun(shell("[ $OMPI_COMM_WORLD_RANK != 2 ] || exit 5; sleep 9999"))),
           step_of(mpirun(shell("[ $OMPI_COMM_WORLD_RANK != 1 ] || kill -9 $$; sleep 9999"))),
           step_of(spread({}, "[ $RANK != 2 ] || exit 7; sleep 9999")),
           step_of(spread({}, "[ $RANK != 1 ] || kill -9 $$; sleep 9999")),
           step_of(spread({}, "no-such-program-anywhere"))});
  const std::vector<std::pair<std::string, int>> expected = {{"failed/exit_code", 5},
                                                             {"failed/killed_by_signal", 137},
                                                             {"failed/exit_code", 7},
                                                             {"failed/killed_by_signal", 137},
                                                             {"failed/exit_code", 127}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto r = logged_records(static_cast<int>(i) + 1);
    EXPECT_EQ(word(r), expected[i].first) << i << end_of(r).detail;
    EXPECT_EQ(end_of(r).exit_code, expected[i].second) << i;
  }
}

TEST_F(PodsTest, workloads_do_not_see_the_key) {
  run_all({step_of(spread({},
                          "p=$PPID; while [ $(cat /proc/$p/comm) = kneepoint-agent ]; do "
                          "tr '\\0' '\\n' </proc/$p/environ | grep KNEEPOINT_; "
                          "p=$(cut -d' ' -f4 /proc/$p/stat); done; env; echo time 1"))});
  auto files = logged();
  for (const char* name : {"r1-a1/stdout.txt", "r1-a1/stderr.txt"}) {
    EXPECT_TRUE(has(files[name], "JOB_COMPLETION_INDEX=")) << name;
    EXPECT_TRUE(has(files[name], "KNEEPOINT_KEY=\n")) << name << ": it is there, but empty";
    EXPECT_FALSE(has(files[name], "000102030405060708")) << name;
    EXPECT_FALSE(has(files[name], "KNEEPOINT_ALLOCATION_0=Z")) << name;
    EXPECT_FALSE(has(files[name], "KNEEPOINT_ALLOCATION_0=e")) << name;
  }
}

TEST_F(PodsTest, what_a_step_leaves_behind_in_another_pod_is_gone_before_the_next) {
  const std::string note = work(0) + "/left";
  run_all({step_of(spread({}, "[ $RANK != 1 ] || { setsid sleep 1000 >/dev/null 2>&1 & echo $! >" +
                                  note + "; }; echo time 1")),
           step_of(shell("kill -0 $(cat " + note + ") 2>/dev/null && echo alive; echo time 1"))});
  const auto r = logged_records(1);
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail;
  EXPECT_TRUE(has(end_of(r).detail, "1 processes left behind were killed")) << end_of(r).detail;
  EXPECT_EQ(logged()["r2-a1/stdout.txt"], "time 1\n");
}

TEST_F(PodsTest, much_output_of_another_pod_neither_stops_it_nor_is_it_lost) {
  run_all({step_of(spread({}, "[ $RANK = 0 ] || seq 300000; echo time 1"))});
  const auto r = logged_records(1);
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail;
  const std::string log = logged()["r1-a1/stderr.txt"];
  EXPECT_TRUE(has(log, "bytes not sent"));
  EXPECT_TRUE(has(log, "] 300000\n"));
  EXPECT_LT(log.size(), 1000u * 1000u);
}

TEST_F(PodsTest, strangers_do_not_keep_the_leader_out) {
  start_peer(1);
  start_peer(2);
  std::vector<int> strangers;
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port(1)));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto knock = [&] {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strangers.push_back(fd);
    return connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  };
  wait_until("the peer listens", knock);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(knock());
  EXPECT_EQ(send(strangers.back(), "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 18);
  start_leader({step_of(shell("echo time 1"))});
  for (int pod = 0; pod < kPods; ++pod) EXPECT_EQ(exit_of(pod), 0) << messages(pod);
  for (const int fd : strangers) close(fd);
}

TEST_F(PodsTest, every_pod_has_the_steps_folder_with_its_inputs_and_kept_files_come_home) {
  const std::vector<std::pair<std::string, std::string>> more = {
      {"own_folder", "true"},
      {"inputs", R"([{"name":"data/in.txt","content":"aGVsbG8K"}])"},
      {"keep", R"(["out-*.txt"])"},
      {"keep_bytes", "1000"}};
  const std::string script =
      "cat data/in.txt > out-${RANK:-$OMPI_COMM_WORLD_RANK}.txt; pwd; echo time 1";
  TestStep spreading = step_of(spread({}, script));
  spreading.more = more;
  TestStep ranks = step_of(mpirun(shell(script)));
  ranks.more = more;
  run_all({spreading, ranks});
  for (const int step : {1, 2}) {
    const auto r = logged_records(step);
    ASSERT_EQ(word(r), "succeeded/none") << end_of(r).detail << read(run_dir(step) + "/stderr.txt");
    const std::string name = "r" + std::to_string(step) + "-a1";
    auto files = logged();
    for (int rank = 0; rank < kPods; ++rank) {
      EXPECT_EQ(files[name + "/kept/out-" + std::to_string(rank) + ".txt"], "hello\n") << rank;
    }
    const std::string out = files[name + "/stdout.txt"] + files[name + "/stderr.txt"];
    std::size_t seen = 0;
    for (std::size_t at = 0; (at = out.find("/" + name + "/work\n", at)) != std::string::npos;
         ++at) {
      ++seen;
    }
    EXPECT_EQ(seen, static_cast<std::size_t>(kPods)) << out;
    EXPECT_FALSE(exists(run_dir(step) + "/work"));
  }
}

// What the nodes look like is this machine's matter; that each has its own figures is ours.
TEST_F(PodsTest, noise_is_sampled_on_the_node_of_every_pod_of_the_step) {
  TestStep all = step_of(spread({}, "sleep 0.5; echo time 1"));
  all.more = {{"nodes", std::to_string(kPods)}, {"noise_sample_ns", "100000000"}};
  TestStep first = step_of(shell("echo time 1"));
  first.more = {{"nodes", "1"}, {"noise_sample_ns", "100000000"}};
  run_all({all, first});
  const auto r = logged_records(1);
  EXPECT_EQ(word(r), "succeeded/none") << end_of(r).detail;
  EXPECT_EQ(fact_of(r, "noise.not_sampled"), "(no such fact)");
  EXPECT_EQ(fact_of(r, "leftovers"), "(no such fact)");
  std::map<std::string, int> sampled;
  for (const auto& one : r.provenance) {
    for (const auto& [name, value] : one.facts) {
      if (name == "noise.samples" && std::stoi(value) >= 2) ++sampled[one.scope];
    }
  }
  EXPECT_EQ(sampled, (std::map<std::string, int>{{"node0", 1}, {"node1", 1}, {"node2", 1}}));
  int nodes = 0;
  for (const auto& one : logged_records(2).provenance) {
    for (const auto& [name, value] : one.facts) nodes += name == "noise.samples" ? 1 : 0;
  }
  EXPECT_EQ(nodes, 1);
}

}  // namespace
}  // namespace kneepoint::agent
