// SPDX-License-Identifier: Apache-2.0
//
// Samplers on the other nodes of a step: under Slurm one task of a step of its own on each of them
// (srun --overlap), in pods through the agents there. What can't be sampled is said, never more:
// no run fails for it, and every wait is bounded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/agent/noise/node_sampler.h"
#include "agents/agent/supervise/signals.h"
#include "agents/wire/allocation.h"

namespace kneepoint::agent {

// CPUs that the step keeps busy on each of its nodes.
int busy_cpus(const StepSpec& step);

// The other nodes of the step by their names, our own left out; in pods the pods' names.
struct OtherNodes {
  std::vector<std::string> names;
  std::string problem;  // why they are not known
};
OtherNodes other_nodes(const StepSpec& step, const std::string& own);

// Words of the step that samples these nodes; `agent` is the program.
std::vector<std::string> sampling_step(const std::vector<std::string>& nodes,
                                       const std::string& agent, const StepSpec& step);

class RemoteNoise {
 public:
  RemoteNoise(const StepSpec& step, Signals& signals);
  ~RemoteNoise();
  RemoteNoise(const RemoteNoise&) = delete;
  RemoteNoise& operator=(const RemoteNoise&) = delete;

  // Returns when every sampler has said that it is ready, or will not be.
  void start();
  // Ends them and takes in what they found.
  void stop();

  const std::vector<NodeNoise>& found() const { return found_; }
  // "n2, n3: srun: error: ...; n4: no answer within 15s"; "" if all nodes were sampled.
  const std::string& missing() const { return missing_; }

 private:
  struct Source;

  void start_by_srun(const std::vector<std::string>& nodes);
  void start_in_pods(const std::vector<std::string>& pods);
  // Takes in what comes until every source is `ready` or has ended, or the time is over.
  void listen(Nanoseconds most, bool until_ready);
  void end_sources();
  void miss(const std::vector<std::string>& nodes, const std::string& why);

  const StepSpec& step_;
  Signals& signals_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<NodeNoise> found_;
  std::string missing_;
};

}  // namespace kneepoint::agent
