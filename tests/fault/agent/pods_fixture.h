// SPDX-License-Identifier: Apache-2.0
//
// A Job's pods as processes of this machine: each `kneepoint-agent pod` has a work folder and a
// port of its own, names are replaced by KNEEPOINT_PEERS. Pod 0's stdout is the log that would be
// read.
#pragma once

#include <map>

#include "tests/fault/agent/agent_fixture.h"

namespace kneepoint::agent {

class PodsTest : public AgentTest {
 protected:
  static constexpr int kPods = 3;

  PodsTest();
  ~PodsTest() override;

  void start_leader(const std::vector<TestStep>& steps, int wait_seconds = 30);
  void start_peer(int pod, const std::string& key = "");
  // For a leader with little patience: the peer is there before it.
  void start_listening_peer(int pod, const std::string& key = "");
  void start_all(const std::vector<TestStep>& steps);
  int exit_of(int pod);  // exit code, or 1000 + signal
  // Runs all to the end; every pod must end with 0.
  void run_all(const std::vector<TestStep>& steps);

  // argv of `spread` over the pods, and of a mpirun with one rank in each.
  static std::vector<std::string> spread(const std::vector<std::string>& options,
                                         const std::string& script);
  static std::vector<std::string> mpirun(const std::vector<std::string>& command);
  static std::vector<std::string> shell(const std::string& script);
  static TestStep step_of(std::vector<std::string> argv);

  pid_t pid(int pod) const { return pids_[static_cast<std::size_t>(pod)]; }
  int port(int pod) const { return ports_[static_cast<std::size_t>(pod)]; }
  std::string work(int pod) const { return base_ + "/pod" + std::to_string(pod); }
  std::string messages(int pod) const { return read(work(pod) + ".stderr"); }
  // The files that pod 0's log amounts to, by "attempt/file".
  std::map<std::string, std::string> logged() const;
  record::Records logged_records(int step) const;

 private:
  pid_t start(int pod, const std::vector<std::pair<std::string, std::string>>& variables);

  std::string base_;
  std::vector<pid_t> pids_ = std::vector<pid_t>(kPods, -1);
  std::vector<int> held_ = std::vector<int>(kPods, -1);  // sockets that keep the ports ours
  std::vector<int> ports_;
};

}  // namespace kneepoint::agent
