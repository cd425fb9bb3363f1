// SPDX-License-Identifier: Apache-2.0
//
// The real agent program on an allocation file in a folder of the test's own. Waiting is always for
// a condition; in vain ends the test, and its agents with it.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "agents/wire/record.h"
#include "tests/fakes/present.h"

namespace kneepoint::agent {

struct TestStep {
  std::vector<std::string> argv;
  std::int64_t limit_ns = 3600'000'000'000;
  bool own_harness = false;
  std::string time_pattern = "";  // of stdout, in seconds; "" for none
  std::vector<std::pair<std::string, std::string>> env = {};
  std::string bind = "none";
  int ranks = 1;
  bool oversubscribed = false;
  std::vector<std::pair<std::string, std::string>> more = {};  // fields as JSON
};

class AgentTest : public testing::Test {
 protected:
  AgentTest();
  ~AgentTest() override;

  // Steps are named r1-a1, r2-a1, ...; their run directories lie in folder_.
  void write_allocation(const std::vector<TestStep>& steps);
  pid_t start_agent();
  int wait_for(pid_t pid);  // exit code, or 1000 + signal
  int run(const std::vector<TestStep>& steps);
  record::Records run_one(const TestStep& step);  // also checks exit code and completeness

  std::string run_dir(int step) const;
  std::string read(const std::string& path) const;
  bool exists(const std::string& path) const;
  record::Records records(int step) const;
  void wait_until(const std::string& what, const std::function<bool()>& condition) const;

  // argv of tests/fakes/misbehaving_program.
  static std::vector<std::string> misbehave(const std::string& mode,
                                            const std::string& argument = "");

  std::string folder_;
  int message_pipe_[2] = {-1, -1};  // when made: the agent may write nothing but messages, here

 private:
  std::vector<pid_t> agents_;  // nobody has waited for them yet
};

std::string word(const record::Records& records);  // "failed/exit_code"; "no end" without one
std::string fact_of(const record::Records& records, const std::string& name);
bool is_alive(pid_t pid);  // and no zombie

}  // namespace kneepoint::agent
