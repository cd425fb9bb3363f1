// SPDX-License-Identifier: Apache-2.0
//
// What the contract suite needs of a backend under test. A new backend adds one row in backends.cc
// and nothing else.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "agents/wire/record.h"
#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/simulated/cluster.h"
#include "tests/fakes/patience.h"
#include "tests/fakes/present.h"
#ifdef KP_KUBE_FOLDER
#include "tests/kubernetes/kube_lab.h"
#endif

namespace kneepoint::contract {

struct BackendUnderTest {
  std::string name;
  BackendKind kind;
  // Counts how often attempts were executed, if the backend really executes them.
  bool executes = false;
  std::string slurm_conf;  // backend slurm: of the cluster that ctest has started
  std::string rest_url;    // file that holds it; "": by the commands
};
std::vector<BackendUnderTest> backends_under_test();
inline void PrintTo(const BackendUnderTest& backend, std::ostream* out) {
  *out << backend.name;
}

// One backend, a folder of its own, and controllers that come and go.
class Contract : public testing::TestWithParam<BackendUnderTest> {
 protected:
  Contract();
  ~Contract() override;

  void SetUp() override;
  // However the test went: nothing that it submitted goes on.
  void TearDown() override;

  // A controller starts (the one before it was killed: it kept nothing but what it wrote down).
  void start_controller();
  Launcher& launcher() { return *launcher_; }

  // Steps that end at once and leave a mark in the folder when executed.
  AllocationRequest quick(const std::string& name, int steps = 1);
  // Like quick(), but step `at` (from 1) goes on until it is killed or cancelled.
  AllocationRequest endless(const std::string& name, int steps, int at);
  // The first of its two steps ends with an exit code other than 0.
  AllocationRequest failing(const std::string& name);
  // Five steps, and the end of the allocation while step 3 runs, as when its node fails: strike()
  // is called while it does.
  AllocationRequest doomed(const std::string& name);
  void strike(const JobRef& job);

  JobRef submit(const AllocationRequest& request);
  Observation observe(const JobRef& job);
  // The first look that shows it out of the queue.
  Observation wait_until_started(const JobRef& job);
  Observation wait_until_ended(const JobRef& job);
  // Until this step has begun.
  void wait_until_begun(const JobRef& job, std::size_t step);
  Artifacts collect(const JobRef& job);
  int executions(const std::string& attempt) const;  // marks that a step left
  Deadline soon() const;
  static bool has_queue() {
    return GetParam().kind == BackendKind::slurm || GetParam().kind == BackendKind::kubernetes;
  }

  Site site_;
  std::string folder_;
  std::string agent_path_ = KP_BIN_DIR "/kneepoint-agent";

  Poller& poller() { return *poller_; }
  void wait_a_moment();

 private:
  // slurmrestd instead of the commands, with a token made now.
  void use_rest();
  // Sets the seed of the simulated site so that its steps meet these fates.
  void tempt(const AllocationRequest& request, const std::vector<simulated::Fate>& fates);

#ifdef KP_KUBE_FOLDER
  testing_support::KubeLab lab_{"lab", true};  // with a namespace for this test alone
#endif
  // Agents of this machine that work on allocations of this test.
  std::vector<ProcessIdentity> agents_here() const;

  std::unique_ptr<Poller> poller_;
  std::unique_ptr<Launcher> launcher_;
  std::vector<JobRef> submitted_;
};

record::Records parsed(const StepArtifacts& step);
// What its end record says, or that there is none.
std::string outcome_of(const StepArtifacts& step);

}  // namespace kneepoint::contract
