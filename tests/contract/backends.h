// SPDX-License-Identifier: Apache-2.0
//
// What the contract suite needs of a backend under test. A new backend adds one row in backends.cc
// and nothing else.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agents/record/record.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint::contract {

struct BackendUnderTest {
  std::string name;
  BackendKind kind;
  // Counts how often attempts were executed, if the backend really executes them.
  bool executes = false;
};
std::vector<BackendUnderTest> backends_under_test();

constexpr Nanoseconds kPatience = 60 * kSecond;  // a test that waits longer has failed

// One backend, a folder of its own, and controllers that come and go.
class Contract : public testing::TestWithParam<BackendUnderTest> {
 protected:
  Contract();
  ~Contract() override;

  // A controller starts (the one before it was killed: it kept nothing but what it wrote down).
  void start_controller();
  Launcher& launcher() { return *launcher_; }

  // Steps that end at once and leave a mark in the folder when executed.
  AllocationRequest quick(const std::string& name, int steps = 1);
  // Like quick(), but step `at` (from 1) goes on until it is killed or cancelled.
  AllocationRequest endless(const std::string& name, int steps, int at);
  // Brings the agent of this job to a sudden end while step 3 of 5 runs, as a failing node would.
  // The request must come from doomed().
  AllocationRequest doomed(const std::string& name);
  void strike(const JobRef& job);

  JobRef submit(const AllocationRequest& request);
  Observation observe(const JobRef& job);
  Observation wait_until_ended(const JobRef& job);
  // Until this step has begun.
  void wait_until_begun(const JobRef& job, std::size_t step);
  Artifacts collect(const JobRef& job);
  int executions(const std::string& attempt) const;  // marks that a step left
  Deadline soon() const;

  Site site_;
  std::string folder_;

 private:
  void wait_a_moment();

  std::unique_ptr<Poller> poller_;
  std::unique_ptr<Launcher> launcher_;
};

record::Records parsed(const StepArtifacts& step);

}  // namespace kneepoint::contract
