// SPDX-License-Identifier: Apache-2.0
//
// Samplers on the other nodes of a step: under Slurm one task of a step of its own on each of them
// (srun --overlap), in pods by `kneepoint-agent exec`. What can't be sampled is said, never more:
// no run fails for it, and every wait is bounded.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/supervise/child.h"
#include "agents/agent/supervise/run_counters.h"
#include "agents/wire/allocation.h"

namespace kneepoint::agent {

// `kneepoint-agent sample`: the sampler of a node that has no agent, started there by the agent of
// the step. It says "ready", samples until it is told to end, and then prints what it found. Also
// the reading of that text, and putting together what was found on one node.

struct NodeNoise {
  std::string node;
  Facts facts;
  std::optional<CoreUse> use;
};

// One line each: "fact NODE NAME VALUE", "use NODE BUSY OWN", "end NODE".
std::string sampler_text(const NodeNoise& found);

class SamplerReader {
 public:
  void take(std::string_view bytes);  // pieces of any size
  std::size_t ready() const { return ready_; }
  const std::vector<NodeNoise>& ended() const { return ended_; }  // those that said all

 private:
  void take_line(std::string_view line);

  std::string rest_;
  std::size_t ready_ = 0;
  std::map<std::string, NodeNoise> begun_;  // by node
  std::vector<NodeNoise> ended_;
};

// One entry for each node, with `noise.others` where it is known. Several samplers on one node
// (pods that share it) know only their own programs: others are who is left when all are taken off.
std::vector<std::pair<std::string, Facts>> by_node(const std::vector<NodeNoise>& found);

// Until standard input ends (`until_eof`) or SIGTERM comes. The exit code.
int sample_node(const std::string& milliseconds, const std::string& busy, bool until_eof);

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

  void start(const std::vector<std::string>& nodes, const std::vector<std::string>& argv,
             bool is_pod);
  std::vector<std::string> sampling_in_pod(const std::string& pod) const;
  // Takes in what comes until every source is `ready` or has ended, or the time is over.
  void listen(Nanoseconds most, bool until_ready);
  void end_sources();
  void miss(const std::vector<std::string>& nodes, const std::string& why);

  const StepSpec& step_;
  Signals& signals_;
  std::vector<Source> sources_;
  std::vector<NodeNoise> found_;
  std::string missing_;
};

}  // namespace kneepoint::agent
