// SPDX-License-Identifier: Apache-2.0
//
// fork and exec of the agent; its fact cache lies in the test's folder too.
#include "tests/fault/agent/agent_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/json_text.h"
#include "tests/fakes/patience.h"

namespace kneepoint::agent {

AgentTest::AgentTest() {
  std::string name = (std::filesystem::temp_directory_path() / "kp-agent-XXXXXX").string();
  folder_ = mkdtemp(name.data());
}

AgentTest::~AgentTest() {
  for (const pid_t agent : agents_) {
    kill(agent, SIGKILL);  // its workload dies with it
    waitpid(agent, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  for (const int fd : message_pipe_) {
    if (fd >= 0) close(fd);
  }
}

void AgentTest::write_allocation(const std::vector<TestStep>& steps) {
  JsonWriter w;
  w.begin_object().key("v").value(1).key("name").value("kp-test").key("steps").begin_array();
  int number = 0;
  for (const auto& step : steps) {
    ++number;
    w.begin_object().key("attempt").value("r" + std::to_string(number) + "-a1");
    w.key("run_dir").value(run_dir(number)).key("argv").begin_array();
    for (const auto& argument : step.argv) w.value(argument);
    w.end_array().key("env").begin_object();
    for (const auto& [name, value] : step.env) w.key(name).value(value);
    w.end_object().key("limit_ns").value(step.limit_ns).key("own_harness").value(step.own_harness);
    w.key("ranks").value(step.ranks).key("threads_per_rank").value(1).key("bind").value(step.bind);
    w.key("oversubscribed").value(step.oversubscribed).key("metrics").begin_array();
    if (!step.time_pattern.empty()) {
      w.begin_object().key("name").value("time").key("pattern").value(step.time_pattern);
      w.key("unit").value("s").key("from").value("stdout").end_object();
    }
    w.end_array();
    for (const auto& [name, value] : step.more) w.key(name).raw(value);
    w.end_object();
  }
  w.end_array().end_object();
  std::ofstream(folder_ + "/allocation.json") << w.text();
}

pid_t AgentTest::start_agent() {
  const std::string file = folder_ + "/allocation.json";
  const std::string messages = folder_ + "/agent.stderr";
  const pid_t pid = fork();
  if (pid > 0) agents_.push_back(pid);
  if (pid != 0) return pid;
  setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
  if (message_pipe_[1] >= 0) {
    const rlimit nothing{0, 0};
    setrlimit(RLIMIT_FSIZE, &nothing);
    dup2(message_pipe_[1], 2);
  } else {
    dup2(open(messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), 2);
  }
  execl(KP_BIN_DIR "/kneepoint-agent", "kneepoint-agent", "run", file.c_str(), nullptr);
  _exit(126);
}

int AgentTest::wait_for(pid_t pid) {
  int status = 0;
  wait_until("the agent ends", [&] { return waitpid(pid, &status, WNOHANG) == pid; });
  std::erase(agents_, pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int AgentTest::run(const std::vector<TestStep>& steps) {
  write_allocation(steps);
  return wait_for(start_agent());
}

record::Records AgentTest::run_one(const TestStep& step) {
  EXPECT_EQ(run({step}), 0) << read(folder_ + "/agent.stderr");
  record::Records result = records(1);
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.problems.empty()) << result.problems[0];
  return result;
}

std::string AgentTest::run_dir(int step) const {
  return folder_ + "/r" + std::to_string(step) + "-a1";
}

std::string AgentTest::read(const std::string& path) const {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool AgentTest::exists(const std::string& path) const {
  return std::filesystem::exists(path);
}

record::Records AgentTest::records(int step) const {
  return record::parse(read(run_dir(step) + "/records.ndjson"));
}

void AgentTest::wait_until(const std::string& what, const std::function<bool()>& condition) const {
  const Nanoseconds deadline = system_clock().steady() + kPatience;
  while (!condition()) {
    if (system_clock().steady() > deadline) throw std::runtime_error("waited in vain: " + what);
    poll(nullptr, 0, 2);
  }
}

std::vector<std::string> AgentTest::misbehave(const std::string& mode,
                                              const std::string& argument) {
  std::vector<std::string> argv = {KP_TEST_DIR "/misbehaving_program", mode};
  if (!argument.empty()) argv.push_back(argument);
  return argv;
}

std::string word(const record::Records& records) {
  return records.end ? records.end->outcome + '/' + records.end->reason : "no end";
}

std::string fact_of(const record::Records& records, const std::string& name) {
  for (const auto& provenance : records.provenance) {
    for (const auto& [key, value] : provenance.facts) {
      if (key == name) return value;
    }
  }
  return "(no such fact)";
}

bool is_alive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const std::size_t paren = stat.rfind(')');
  return paren != std::string::npos && paren + 2 < stat.size() && stat[paren + 2] != 'Z';
}

}  // namespace kneepoint::agent
