// SPDX-License-Identifier: Apache-2.0
//
// The agent: runs the steps of one allocation file in turn. The lock on the file keeps a second
// agent out, the exclusive mkdir of each run directory keeps a step from running twice.
#pragma once

#include <string>

namespace kneepoint::agent {

constexpr int kExitDone = 0;      // whatever became of the workloads: outcomes are in the records
constexpr int kExitUsage = 2;     // wrong arguments, or an allocation file that can't be read
constexpr int kExitIo = 74;       // the agent could not do its own work; the message says why
constexpr int kExitAlready = 75;  // another agent has this allocation

// The exit code of `kneepoint-agent run <path>`.
int run_allocation(const std::string& path);

}  // namespace kneepoint::agent
