// SPDX-License-Identifier: Apache-2.0
//
// kneepoint-agent: started by a launcher, once for each allocation. People rarely need to.
#include <cstdio>
#include <cstring>

#include "agents/agent/agent.h"

namespace {

constexpr const char* kUsage =
    "Usage: kneepoint-agent run ALLOCATION.json\n"
    "       kneepoint-agent --version\n"
    "\n"
    "Runs the steps of an allocation file in turn and writes what became of each\n"
    "to records.ndjson in its run directory. SIGTERM cancels.\n"
    "\n"
    "Exit codes: 0 steps done (outcomes are in the records), 2 usage or file\n"
    "invalid, 74 a file could not be written, 75 another agent has the allocation.\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace kneepoint::agent;
  if (argc == 3 && std::strcmp(argv[1], "run") == 0) return run_allocation(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::puts("kneepoint-agent " KNEEPOINT_VERSION);
    return kExitDone;
  }
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(kUsage, stdout);
    return kExitDone;
  }
  std::fputs(kUsage, stderr);
  return kExitUsage;
}
