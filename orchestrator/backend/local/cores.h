// SPDX-License-Identifier: Apache-2.0
//
// Which cores of this machine a living allocation may be bound to. Two allocations never share one.
// A core is a physical core: hardware threads of the same core count once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/allocation_files.h"

namespace kneepoint {

struct Core {
  int socket = 0;
  std::vector<int> cpus;  // the kernel's numbers; the first one stands for the core
  bool operator==(const Core&) const = default;
};

// "0-3,8" -> 0 1 2 3 8; what can't be read is left out.
std::vector<int> parse_cpu_list(std::string_view text);

// The cores that we may run on, by socket; at most as many as the control group's CPU quota gives
// and as `most` says (0: no limit). Always at least one.
std::vector<Core> cores_of_this_machine(int most);

// Allocations go by the path of their file. Agents of an earlier controller, or of another study
// with the same work_dir, hold cores too.
class CoreSets {
 public:
  explicit CoreSets(std::vector<Core> cores) : cores_(std::move(cores)) {}

  const std::vector<Core>& all() const { return cores_; }

  // Finds the living agents of this folder, at the first call: one walk through /proc for each
  // controller, and one question for each agent found at every take() afterwards.
  void look_for_others(const std::string& work_dir);
  // The first `count` free cores, or none at all when fewer are free.
  std::vector<Core> take(const std::string& path, int count);
  // What an allocation of an earlier controller has; each core by one of its CPUs. Its launcher
  // knows it from now on and tells of its end.
  std::vector<Core> hold(const std::string& path, const std::vector<int>& cpus);
  void release(const std::string& path) { held_.erase(path); }

 private:
  std::vector<Core> cores_;
  std::map<std::string, std::vector<std::size_t>> held_;  // indexes into cores_
  bool looked_ = false;
  std::vector<LivingAgent> others_;  // whose ends nobody else tells us
};

}  // namespace kneepoint
