// SPDX-License-Identifier: Apache-2.0
//
// One walk through /proc for each controller; afterwards one question for each agent found.
#include "orchestrator/backend/local/cores.h"

#include <optional>

namespace kneepoint {

void LocalCores::look_for_others(const std::string& work_dir) {
  for (const LivingAgent& agent : living_agents()) {
    if (!agent.allocation_path.starts_with(work_dir + "/")) continue;
    const auto text = read_file_if_there(agent.allocation_path, kMostAllocationBytes);
    const auto known = text && *text ? parse_allocation_text(**text) : std::nullopt;
    if (!known) continue;
    sets_.hold(agent.allocation_path, known->cpus);
    others_.push_back(agent);
  }
}

std::vector<Core> LocalCores::take(const std::string& path, const std::string& work_dir,
                                   int count) {
  if (!looked_) look_for_others(work_dir);
  looked_ = true;
  std::erase_if(others_, [this](const LivingAgent& agent) {
    if (is_alive(agent.process)) return false;
    sets_.release(agent.allocation_path);
    return true;
  });
  return sets_.take(path, count);
}

std::vector<Core> LocalCores::hold(const std::string& path, const std::vector<int>& cpus) {
  // Its launcher knows it now and tells of its end.
  std::erase_if(others_, [&](const LivingAgent& agent) { return agent.allocation_path == path; });
  return sets_.hold(path, cpus);
}

}  // namespace kneepoint
