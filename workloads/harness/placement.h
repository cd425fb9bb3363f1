// SPDX-License-Identifier: Apache-2.0
//
// Where this rank really runs: the node's name and the CPUs it may use.
#pragma once

#include <string>
#include <vector>

namespace kneepoint::workloads {

// KNEEPOINT_NODE or SLURMD_NODENAME when set (several "nodes" may share one machine), else
// `processor_name`, which MPI gave.
std::string node_name(const std::string& processor_name);

// sched_getaffinity as list text: "0-3,8".
std::string allowed_cpus();

// {0,1,2,3,8} -> "0-3,8"; ascending in.
std::string cpu_list_text(const std::vector<int>& cpus);

}  // namespace kneepoint::workloads
