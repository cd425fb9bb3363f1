// SPDX-License-Identifier: Apache-2.0
//
// `kneepoint-agent sample`: the sampler of a node that has no agent, started there by the agent of
// the step. It says "ready", samples until it is told to end, and then prints what it found. Also
// the reading of that text, and putting together what was found on one node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/supervise/run_counters.h"

namespace kneepoint::agent {

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
  bool is_ready(const std::string& node) const;
  std::size_t ready() const { return ready_.size(); }
  const std::vector<NodeNoise>& ended() const { return ended_; }  // those that said all

 private:
  void take_line(std::string_view line);
  NodeNoise& begun(const std::string& node);

  std::string rest_;
  std::vector<std::string> ready_;
  std::vector<NodeNoise> begun_;
  std::vector<NodeNoise> ended_;
};

// One entry for each node, with `noise.others` where it is known. Several samplers on one node
// (pods that share it) know only their own programs: others are who is left when all are taken off.
std::vector<std::pair<std::string, Facts>> by_node(const std::vector<NodeNoise>& found);

// Until standard input ends (`until_eof`) or SIGTERM comes. The exit code.
int sample_node(const std::string& milliseconds, const std::string& busy, bool until_eof);

}  // namespace kneepoint::agent
