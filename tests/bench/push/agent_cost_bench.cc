// SPDX-License-Identifier: Apache-2.0
//
// What the agent takes from the machine that it measures: CPU time while a workload runs, with and
// without a controller to push to, and the time until the workload starts.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "orchestrator/base/json_text.h"
#include "orchestrator/server/push/endpoint.h"
#include "tests/bench/child.h"

extern char** environ;

namespace kneepoint::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kMostShare = 0.001;  // of one core
constexpr double kMostStart = 0.050;  // seconds
constexpr Nanoseconds kSettle = 4 * kSecond;
constexpr Nanoseconds kWindow = 7 * kSecond;
constexpr int kWindows = 3;
constexpr int kStarts = 15;

std::string whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string allocation_of(const std::string& folder, const std::vector<std::string>& argv,
                          const PushTarget& push) {
  JsonWriter w;
  w.begin_object().key("v").value(1).key("name").value("kp-bench");
  if (!push.url.empty()) {
    w.key("push").begin_object().key("url").value(push.url).key("token").value(push.token);
    w.key("ca").value(push.ca).end_object();
  }
  w.key("steps").begin_array().begin_object().key("attempt").value("r1-a1");
  w.key("run_dir").value(folder + "/r1-a1").key("argv").begin_array();
  for (const std::string& word : argv) w.value(word);
  w.end_array().key("limit_ns").value(static_cast<std::int64_t>(kMinute)).end_object().end_array();
  w.end_object();
  const std::string path = folder + "/allocation.json";
  write_file(path, w.text());
  return path;
}

pid_t start(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {1, 2}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = -1;
  posix_spawn(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

// On a CPU so far, in seconds.
double cpu_of(pid_t pid) {
  const std::string text = whole("/proc/" + std::to_string(pid) + "/schedstat");
  return text.empty() ? 0 : std::stod(text) * 1e-9;
}

pid_t pusher_of(const std::string& allocation) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string line = whole(entry.path().string() + "/cmdline");
    if (line.find("kneepoint-push") == std::string::npos) continue;
    if (line.find(allocation) != std::string::npos) {
      return static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    }
  }
  return -1;
}

void wait_for(Nanoseconds duration) {
  ::poll(nullptr, 0, static_cast<int>(duration / kMillisecond));
}

// Two samples a second, for half a minute.
const std::vector<std::string> kTalking = {
    "/bin/sh", "-c",
    "i=0; while [ $i -lt 60 ]; do echo '{\"type\":\"sample\",\"iteration\":'$i',\"warmup\":false,"
    "\"max_ns\":30,\"mean_ns\":20,\"min_ns\":10,\"compute_ns\":12,\"communication_ns\":5,"
    "\"other_ns\":3}' >> $KNEEPOINT_RECORDS; i=$((i+1)); sleep 0.5; done"};

struct Cost {
  double agent = 0, pusher = 0;  // shares of one core
};
Cost cost_of(const std::string& name, const PushTarget& push) {
  const std::string folder = fresh_folder(name);
  const std::string allocation = allocation_of(folder, kTalking, push);
  const pid_t agent = start({KP_BIN_DIR "/kneepoint-agent", "run", allocation});
  wait_for(kSettle);
  const pid_t pusher = push.url.empty() ? -1 : pusher_of(allocation);
  EXPECT_EQ(pusher > 0, !push.url.empty());
  // Other programs can only add to it (cold caches): the least of a few windows is its own.
  Cost cost{1, 1};
  for (int i = 0; i < kWindows; ++i) {
    const double agent_before = cpu_of(agent), pusher_before = pusher > 0 ? cpu_of(pusher) : 0;
    const Nanoseconds began = system_clock().steady();
    wait_for(kWindow);
    const double seconds = to_seconds(system_clock().steady() - began);
    const double of_agent = (cpu_of(agent) - agent_before) / seconds;
    const double of_pusher = pusher > 0 ? (cpu_of(pusher) - pusher_before) / seconds : 0;
    if (of_agent + of_pusher < cost.agent + cost.pusher) cost = {of_agent, of_pusher};
  }
  ::kill(agent, SIGTERM);
  ::waitpid(agent, nullptr, 0);
  return cost;
}

TEST(AgentBench, TakesLessThanAThousandthOfACoreWithAndWithoutPushing) {
  const std::string folder = fresh_folder("agent-endpoint");
  auto endpoint = PushEndpoint::open(PushSite{}, folder + "/push", "bench", system_clock());
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  const Cost alone = cost_of("agent-alone", {});
  const Cost pushing = cost_of("agent-pushing", (*endpoint)->target("kp-bench"));
  const auto pushes = (*endpoint)->stats().pushes;
  std::printf(
      "bench: agent without push %.4f %% of a core; with push %.4f %% and its pusher "
      "%.4f %%, %llu pushes\n",
      alone.agent * 100, pushing.agent * 100, pushing.pusher * 100,
      static_cast<unsigned long long>(pushes));
  EXPECT_GT(pushes, 5U);
  EXPECT_LT(alone.agent, kMostShare);
  EXPECT_LT(pushing.agent + pushing.pusher, kMostShare);
}

// Seconds from the start of argv to the instant that the `date` in it prints.
double start_of(const std::vector<std::string>& argv, const std::string& output) {
  const double before = to_seconds(system_clock().wall());
  const pid_t pid = start(argv);
  ::waitpid(pid, nullptr, 0);
  return std::stod(whole(output)) * 1e-9 - before;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(AgentBench, StartsItsWorkloadWithinFiftyMilliseconds) {
  const std::string folder = fresh_folder("agent-endpoint");
  auto endpoint = PushEndpoint::open(PushSite{}, folder + "/push", "bench", system_clock());
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  std::vector<double> plain, alone, pushing;
  for (int i = 0; i < kStarts; ++i) {
    const std::string here = fresh_folder("agent-start");
    const std::string print = "date +%s%N > " + here + "/date.txt";
    const std::vector<std::string> date = {"/bin/sh", "-c", print};
    plain.push_back(start_of(date, here + "/date.txt"));
    for (auto* times : {&alone, &pushing}) {
      fs::remove_all(here + "/r1-a1");
      const PushTarget push = times == &pushing ? (*endpoint)->target("kp-bench") : PushTarget{};
      const std::string allocation = allocation_of(here, date, push);
      times->push_back(
          start_of({KP_BIN_DIR "/kneepoint-agent", "run", allocation}, here + "/date.txt"));
    }
  }
  const double without = median(alone) - median(plain), with = median(pushing) - median(plain);
  std::printf("bench: agent start-up %.1f ms without push, %.1f ms with (medians of %d)\n",
              without * 1e3, with * 1e3, kStarts);
  EXPECT_LT(without, kMostStart);
  EXPECT_LT(with, kMostStart);
}

}  // namespace
}  // namespace kneepoint::bench
