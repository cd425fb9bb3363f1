// SPDX-License-Identifier: Apache-2.0
//
// Backends that start ranks on real cores: where the ranks really run. The steps write down their
// own affinity and stay until all have, so that they live at the same time.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "orchestrator/backend/local/cores.h"
#include "tests/contract/backends.h"

namespace kneepoint::contract {
namespace {

std::vector<BackendUnderTest> executing_backends() {
  auto backends = backends_under_test();
  std::erase_if(backends, [](const BackendUnderTest& backend) { return !backend.executes; });
  return backends;
}

class Binding : public Contract {
 protected:
  Binding() : gate_(folder_ + "/gate") { EXPECT_EQ(::mkfifo(gate_.c_str(), 0600), 0); }

  AllocationRequest bound(const std::string& name, int ranks, int threads, StarterKind starter) {
    AllocationRequest request = quick(name);
    Step& step = request.steps[0];
    step.shape.ranks = step.shape.ranks_per_node = ranks;
    step.shape.threads_per_rank = threads;
    step.starter.kind = starter;
    // One short append a rank; then everyone waits at the gate.
    step.command.argv = {
        "sh",
        "-c",
        "set -- \"$1\" \"$2\" \"$(grep Cpus_allowed_list /proc/self/status)\"; "
        "echo \"${OMPI_COMM_WORLD_RANK:-0} ${3#*:}\" >>\"$1\"; cat \"$2\"; echo t=0.25",
        "sh",
        folder_ + "/" + step.attempt + ".marks",
        gate_};
    return request;
  }

  // The CPUs of each rank, once all have told.
  std::vector<std::vector<int>> places(const AllocationRequest& request) {
    const auto ranks = request.steps[0].starter.kind == StarterKind::none
                           ? 1u
                           : static_cast<unsigned>(request.steps[0].shape.ranks);
    const Nanoseconds until = system_clock().steady() + kPatience;
    const std::string attempt = request.steps[0].attempt;
    while (executions(attempt) < static_cast<int>(ranks) && system_clock().steady() < until) {
      wait_a_moment();
    }
    std::vector<std::vector<int>> cpus(ranks);
    std::ifstream marks(folder_ + "/" + attempt + ".marks");
    unsigned rank = 0;
    for (std::string list; marks >> rank >> list;) cpus.at(rank) = parse_cpu_list(list);
    return cpus;
  }

  void open_gate() {
    const int fd = ::open(gate_.c_str(), O_RDWR | O_CLOEXEC);  // never blocks on a fifo
    ::close(fd);
  }

  void finish(const JobRef& job) {
    const Nanoseconds until = system_clock().steady() + kPatience;
    while (observe(job).state == AllocationState::running && system_clock().steady() < until) {
      open_gate();
      wait_a_moment();
    }
    const auto records = parsed(collect(job).steps.at(0));
    ASSERT_TRUE(records.end);
    EXPECT_EQ(end_of(records).outcome, "succeeded") << end_of(records).detail;
  }

  const std::string gate_;
};

TEST_P(Binding, EachRankHasACoreOfItsOwn) {
  const int cores = launcher().capabilities().cores_per_node;
  const AllocationRequest request = bound("kp-ranks", cores, 1, StarterKind::mpirun);
  const JobRef job = submit(request);
  std::set<int> used;
  for (const auto& cpus : places(request)) {
    ASSERT_FALSE(cpus.empty());
    for (const int cpu : cpus) EXPECT_TRUE(used.insert(cpu).second) << "CPU " << cpu << " twice";
  }
  finish(job);
}

TEST_P(Binding, ARankWithThreadsHasACoreForEach) {
  const int cores = launcher().capabilities().cores_per_node;
  const AllocationRequest request = bound("kp-threads", 1, cores, StarterKind::mpirun);
  const JobRef job = submit(request);
  EXPECT_GE(places(request).at(0).size(), static_cast<std::size_t>(cores));
  finish(job);
}

TEST_P(Binding, AllocationsThatLiveTogetherShareNoCore) {
  if (launcher().capabilities().cores_per_node < 2) GTEST_SKIP() << "this machine has one core";
  for (const StarterKind starter : {StarterKind::mpirun, StarterKind::none}) {
    const std::string kind = to_string(starter);
    const AllocationRequest one = bound("kp-one-" + kind, 1, 1, starter);
    const AllocationRequest two = bound("kp-two-" + kind, 1, 1, starter);
    const JobRef first = submit(one);
    const auto here = places(one).at(0);
    start_controller();  // the second controller has not even heard of the first allocation
    const JobRef second = submit(two);
    const auto there = places(two).at(0);
    ASSERT_FALSE(here.empty());
    ASSERT_FALSE(there.empty());
    for (const int cpu : here) {
      EXPECT_EQ(std::count(there.begin(), there.end(), cpu), 0) << "CPU " << cpu;
    }
    finish(first);
    finish(second);
  }
}

TEST_P(Binding, WithNoCoreLeftRanksRunUnboundRatherThanOnEachOther) {
  const int cores = launcher().capabilities().cores_per_node;
  const AllocationRequest all = bound("kp-all", cores, 1, StarterKind::mpirun);
  const AllocationRequest more = bound("kp-more", 1, 1, StarterKind::mpirun);
  const JobRef first = submit(all);
  const JobRef second = submit(more);
  EXPECT_GE(places(more).at(0).size(), static_cast<std::size_t>(cores));
  places(all);
  finish(first);
  finish(second);
}

TEST_P(Binding, EmulatedRanksMayBeMoreThanTheCores) {
  const int ranks = 2 * launcher().capabilities().cores_per_node + 1;
  AllocationRequest request = bound("kp-emulated", ranks, 1, StarterKind::mpirun);
  request.steps[0].emulated = true;
  const JobRef job = submit(request);
  EXPECT_EQ(places(request).size(), static_cast<std::size_t>(ranks));
  finish(job);
}

INSTANTIATE_TEST_SUITE_P(Backends, Binding, testing::ValuesIn(executing_backends()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kneepoint::contract
