// SPDX-License-Identifier: Apache-2.0
//
// kneepoint-agent: started by a launcher, once for each allocation (on Kubernetes in every pod),
// and by the steps themselves to reach other pods. People rarely need to.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "agents/agent/agent.h"
#include "agents/agent/noise/node_sampler.h"
#include "agents/agent/pod/client.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/provenance/spread.h"
#include "agents/agent/push/pusher.h"

namespace {

constexpr const char* kUsage =
    "Usage: kneepoint-agent run ALLOCATION.json\n"
    "       kneepoint-agent pod\n"
    "       kneepoint-agent exec HOST TEXT...\n"
    "       kneepoint-agent spread PODS [-r RANKS_PER_POD] [-x NAME]... -- COMMAND...\n"
    "       kneepoint-agent --version\n"
    "\n"
    "run     Runs the steps of an allocation file in turn and writes what became of\n"
    "        each to records.ndjson in its run directory. SIGTERM cancels. Where the\n"
    "        file names a controller, kneepoint-push sends the records there\n"
    "        while the steps run.\n"
    "pod     The agent of one pod of a Kubernetes Job, told by its environment what\n"
    "        to do. Pod 0 runs the steps and prints the files of their run\n"
    "        directories to its log; the others start what pod 0 asks for.\n"
    "exec    Within a step: runs a shell text in another pod, as ssh would. It is\n"
    "        what mpirun starts its daemons with.\n"
    "spread  Within a step: starts a program without MPI in the first PODS pods, with\n"
    "        RANK, WORLD_SIZE, MASTER_ADDR and the like set. The first rank that\n"
    "        fails ends the others, and its exit code is the result.\n"
    "\n"
    "Exit codes of run and pod: 0 steps done (outcomes are in the records), 2 usage\n"
    "or file invalid, 69 a pod never came or is gone, 74 a file could not be written,\n"
    "75 another agent has the allocation, 143 the pod was told to end. exec and\n"
    "spread: that of the command, 128 + N for signal N, 127 could not be started,\n"
    "255 the pod is gone.\n";

int spread(const std::vector<std::string>& arguments) {
  const auto parsed = kneepoint::agent::parse_spread(arguments);
  if (parsed) return kneepoint::agent::run_spread(*parsed);
  std::fprintf(stderr, "kneepoint-agent spread: %s\n", parsed.error().message.c_str());
  return kneepoint::agent::kExitUsage;
}

int exec(const std::vector<std::string>& arguments) {
  std::string text;
  for (std::size_t i = 1; i < arguments.size(); ++i) text += (i > 1 ? " " : "") + arguments[i];
  return kneepoint::agent::exec_in_pod(arguments[0], text);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kneepoint::agent;
  if (argc == 3 && std::strcmp(argv[1], "run") == 0) return run_allocation(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], "push") == 0) return become_pusher(argv[2]);
  if (argc == 5 && std::strcmp(argv[1], "sample") == 0) {
    return sample_node(argv[2], argv[3], std::strcmp(argv[4], "eof") == 0);
  }
  if (argc == 2 && std::strcmp(argv[1], "pod") == 0) return run_pod();
  if (argc >= 4 && std::strcmp(argv[1], "exec") == 0) return exec({argv + 2, argv + argc});
  if (argc >= 2 && std::strcmp(argv[1], "spread") == 0) return spread({argv + 2, argv + argc});
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
