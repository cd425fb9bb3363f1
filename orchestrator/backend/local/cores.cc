// SPDX-License-Identifier: Apache-2.0
//
// Reads affinity, topology and quota once; hands out cores in the order of the list.
#include "orchestrator/backend/local/cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

namespace kneepoint {
namespace {

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// Where this process's control group of this kind has its files; "" if that can't be told.
std::string control_group(const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if ("," + line.substr(first + 1, second - first - 1) + "," == "," + controller + ",") {
      return line.substr(second + 1);
    }
  }
  return "";
}

double ratio(const std::string& quota, const std::string& period) {
  double a = 0, b = 0;
  std::istringstream(quota) >> a;
  std::istringstream(period) >> b;
  return a > 0 && b > 0 ? a / b : 0;
}

// CPUs' worth of time that the control group may use; 0: no limit.
int cpu_quota() {
  double cpus = 0;
  for (const std::string& group : {control_group(""), std::string("/")}) {
    std::istringstream limit(first_line("/sys/fs/cgroup" + group + "/cpu.max"));
    std::string quota, period;
    if (limit >> quota >> period && quota != "max") cpus = ratio(quota, period);
    if (cpus > 0) break;
  }
  for (const std::string& group : {control_group("cpu"), std::string("/")}) {
    if (cpus > 0) break;
    const std::string folder = "/sys/fs/cgroup/cpu" + group;
    cpus =
        ratio(first_line(folder + "/cpu.cfs_quota_us"), first_line(folder + "/cpu.cfs_period_us"));
  }
  return cpus > 0 ? std::max(1, static_cast<int>(cpus)) : 0;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  while (at < end) {
    int first = 0, last = 0;
    const auto one = std::from_chars(at, end, first);
    if (one.ec != std::errc()) break;
    last = first;
    at = one.ptr;
    if (at < end && *at == '-') {
      const auto other = std::from_chars(at + 1, end, last);
      if (other.ec != std::errc()) break;
      at = other.ptr;
    }
    for (int cpu = first; cpu <= last && last < 65536; ++cpu) cpus.push_back(cpu);
    if (at < end && *at != ',') break;
    ++at;
  }
  return cpus;
}

std::vector<Core> cores_of_this_machine(int most) {
  const std::vector<int> allowed = allowed_cpus();
  std::vector<Core> cores;
  for (const int cpu : allowed) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    Core core;
    const std::string socket = first_line(topology + "physical_package_id");
    std::from_chars(socket.data(), socket.data() + socket.size(), core.socket);
    for (const int sibling : parse_cpu_list(first_line(topology + "thread_siblings_list"))) {
      if (std::binary_search(allowed.begin(), allowed.end(), sibling)) core.cpus.push_back(sibling);
    }
    if (core.cpus.empty()) core.cpus.push_back(cpu);
    if (core.cpus.front() == cpu) cores.push_back(std::move(core));
  }
  std::stable_sort(cores.begin(), cores.end(),
                   [](const Core& a, const Core& b) { return a.socket < b.socket; });
  for (const int limit : {cpu_quota(), most}) {
    if (limit > 0 && static_cast<std::size_t>(limit) < cores.size()) {
      cores.resize(static_cast<std::size_t>(limit));
    }
  }
  return cores;
}

void CoreSets::look_for_others(const std::string& work_dir) {
  if (std::exchange(looked_, true)) return;
  for (const LivingAgent& agent : living_agents()) {
    if (!agent.allocation_path.starts_with(work_dir + "/")) continue;
    const auto known = read_allocation(agent.allocation_path);
    if (!known || !*known) continue;
    hold(agent.allocation_path, (*known)->cpus);
    others_.push_back(agent);
  }
}

std::vector<Core> CoreSets::take(const std::string& path, int count) {
  std::erase_if(others_, [this](const LivingAgent& agent) {
    if (is_alive(agent.process)) return false;
    release(agent.allocation_path);
    return true;
  });
  std::vector<bool> taken(cores_.size(), false);
  for (const auto& [name, indexes] : held_) {
    for (const std::size_t index : indexes) taken[index] = true;
  }
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (!taken[i] && free.size() < static_cast<std::size_t>(std::max(0, count))) free.push_back(i);
  }
  if (count <= 0 || free.size() < static_cast<std::size_t>(count)) return {};
  std::vector<Core> given;
  for (const std::size_t index : free) given.push_back(cores_[index]);
  held_[path] = std::move(free);
  return given;
}

std::vector<Core> CoreSets::hold(const std::string& path, const std::vector<int>& cpus) {
  std::erase_if(others_, [&](const LivingAgent& agent) { return agent.allocation_path == path; });
  std::vector<std::size_t> indexes;
  std::vector<Core> held;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const auto& own = cores_[i].cpus;
    if (std::find_first_of(own.begin(), own.end(), cpus.begin(), cpus.end()) == own.end()) continue;
    indexes.push_back(i);
    held.push_back(cores_[i]);
  }
  if (!indexes.empty()) held_[path] = std::move(indexes);
  return held;
}

}  // namespace kneepoint
