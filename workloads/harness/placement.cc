// SPDX-License-Identifier: Apache-2.0
//
// Node name and CPU affinity of this process.
#include "workloads/harness/placement.h"

#include <sched.h>

#include <cstdlib>

namespace kneepoint::workloads {

std::string node_name(const std::string& processor_name) {
  for (const char* variable : {"KNEEPOINT_NODE", "SLURMD_NODENAME"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return processor_name;
}

std::string allowed_cpus() {
  for (int most = 1024; most <= 1 << 20;
       most *= 4) {  // the kernel refuses a mask that is too small
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(most));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    CPU_ZERO_S(bytes, set);
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    std::vector<int> cpus;
    for (int cpu = 0; known && cpu < most; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (known) return cpu_list_text(cpus);
  }
  return "";
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace kneepoint::workloads
