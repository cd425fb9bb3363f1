// SPDX-License-Identifier: Apache-2.0
//
// The job's name ends in .invalid, which no name server knows: mpirun takes every pod for another
// host and starts its daemons through the agents.
#include "tests/fault/agent/pods_fixture.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "agents/wire/frame.h"
#include "orchestrator/base/base64.h"

namespace kneepoint::agent {
namespace {

constexpr char kJob[] = "kp-test.invalid";
constexpr char kKey[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

sockaddr_in on_loopback(int port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return where;
}

// A port that no other process is given while it is held; whoever reuses addresses may listen
// there.
int hold_port(int& held) {
  held = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  EXPECT_EQ(setsockopt(held, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
  sockaddr_in where = on_loopback(0);
  socklen_t size = sizeof where;
  EXPECT_EQ(bind(held, reinterpret_cast<sockaddr*>(&where), size), 0);
  EXPECT_EQ(getsockname(held, reinterpret_cast<sockaddr*>(&where), &size), 0);
  return ntohs(where.sin_port);
}

std::string host(int pod) {
  return std::string(kJob) + "-" + std::to_string(pod) + "." + kJob;
}

}  // namespace

PodsTest::PodsTest() {
  base_ = folder_;
  folder_ = work(0) + "/runs";  // where the run directories come to lie
  std::filesystem::create_directories(folder_);
  for (int& held : held_) ports_.push_back(hold_port(held));
}

PodsTest::~PodsTest() {
  for (const pid_t pid : pids_) {
    if (pid > 0 && kill(pid, SIGKILL) == 0) waitpid(pid, nullptr, 0);
  }
  for (const int held : held_) close(held);
  folder_ = base_;
}

pid_t PodsTest::start(int pod, const std::vector<std::pair<std::string, std::string>>& variables) {
  const pid_t pid = fork();
  if (pid != 0) return pids_[static_cast<std::size_t>(pod)] = pid;
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  setenv("JOB_COMPLETION_INDEX", std::to_string(pod).c_str(), 1);
  setenv("KNEEPOINT_PODS", std::to_string(kPods).c_str(), 1);
  setenv("KNEEPOINT_JOB", kJob, 1);
  setenv("KNEEPOINT_NODE", ("node" + std::to_string(pod)).c_str(), 1);
  setenv("KNEEPOINT_WORK", work(pod).c_str(), 1);
  setenv("KNEEPOINT_PORT", std::to_string(port(pod)).c_str(), 1);
  setenv("HOME", (work(pod) + "/home").c_str(), 1);
  setenv("TMPDIR", (work(pod) + "/tmp").c_str(), 1);
  setenv("XDG_RUNTIME_DIR", work(pod).c_str(), 1);
  dup2(open((work(pod) + ".stdout").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), 1);
  dup2(open((work(pod) + ".stderr").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), 2);
  execl(KP_BIN_DIR "/kneepoint-agent", "kneepoint-agent", "pod", nullptr);
  _exit(126);
}

void PodsTest::start_leader(const std::vector<TestStep>& steps, int wait_seconds) {
  write_allocation(steps);
  std::string peers;
  for (int pod = 1; pod < kPods; ++pod) {
    peers += (pod > 1 ? ",127.0.0.1:" : "127.0.0.1:") + std::to_string(port(pod));
  }
  start(0, {{"KNEEPOINT_KEY", kKey},
            {"KNEEPOINT_PEERS", peers},
            {"KNEEPOINT_WAIT", std::to_string(wait_seconds)},
            {"KNEEPOINT_ALLOCATION_0", base64_encoded(read(folder_ + "/allocation.json"))}});
}

void PodsTest::start_peer(int pod, const std::string& key) {
  start(pod, {{"KNEEPOINT_KEY", key.empty() ? kKey : key}, {"KNEEPOINT_ALLOCATION_0", "Zm9v"}});
}

void PodsTest::start_listening_peer(int pod, const std::string& key) {
  start_peer(pod, key);
  wait_until("pod " + std::to_string(pod) + " listens", [&] {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in where = on_loopback(port(pod));
    const bool listens = connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    close(fd);
    return listens;
  });
}

void PodsTest::start_all(const std::vector<TestStep>& steps) {
  start_leader(steps);
  for (int pod = 1; pod < kPods; ++pod) start_peer(pod);
}

int PodsTest::exit_of(int pod) {
  const int code = wait_for(pid(pod));
  pids_[static_cast<std::size_t>(pod)] = -1;
  return code;
}

void PodsTest::run_all(const std::vector<TestStep>& steps) {
  start_all(steps);
  for (int pod = 0; pod < kPods; ++pod) EXPECT_EQ(exit_of(pod), 0) << messages(pod);
}

std::vector<std::string> PodsTest::spread(const std::vector<std::string>& options,
                                          const std::string& script) {
  std::vector<std::string> argv = {KP_BIN_DIR "/kneepoint-agent", "spread", std::to_string(kPods)};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"--", "sh", "-c", script});
  return argv;
}

std::vector<std::string> PodsTest::mpirun(const std::vector<std::string>& command) {
  std::string hosts;
  for (int pod = 0; pod < kPods; ++pod) hosts += (pod > 0 ? "," : "") + host(pod) + ":1";
  std::vector<std::string> argv = {"mpirun", "-n", std::to_string(kPods), "--host", hosts};
  const std::vector<std::pair<std::string, std::string>> parameters = {
      {"plm", "rsh"},
      {"plm_rsh_agent", KP_BIN_DIR "/kneepoint-agent exec"},
      {"plm_rsh_no_tree_spawn", "1"},
      {"plm_rsh_num_concurrent", "128"},
      {"orte_leave_session_attached", "1"},
      {"orte_keep_fqdn_hostnames", "1"},
      {"btl", "self,vader,tcp"},
      {"pml", "ob1"},
      {"mpi_yield_when_idle", "1"}};
  for (const auto& [name, value] : parameters) argv.insert(argv.end(), {"--mca", name, value});
  argv.insert(argv.end(), {"--map-by", "ppr:1:node", "--bind-to", "none", "-x", "KP_TEST_WORD"});
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

std::vector<std::string> PodsTest::shell(const std::string& script) {
  return {"sh", "-c", script};
}

TestStep PodsTest::step_of(std::vector<std::string> argv) {
  TestStep step;
  step.argv = std::move(argv);
  step.time_pattern = "time ([0-9.]+)";
  step.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
              {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
              {"KP_TEST_WORD", "it's here"}};
  step.ranks = kPods;
  return step;
}

std::map<std::string, std::string> PodsTest::logged() const {
  record::FrameReader reader;
  reader.take(read(work(0) + ".stdout"));
  std::map<std::string, std::string> files;
  for (const auto& one : reader.appended()) files[one.file] += one.bytes;
  EXPECT_FALSE(reader.has_gap());
  EXPECT_EQ(reader.damaged(), 0u);
  return files;
}

record::Records PodsTest::logged_records(int step) const {
  return record::parse(logged()["r" + std::to_string(step) + "-a1/records.ndjson"]);
}

}  // namespace kneepoint::agent
