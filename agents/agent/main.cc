// SPDX-License-Identifier: Apache-2.0
//
// kneepoint-agent: started by a launcher, once for each allocation (on Kubernetes in every pod),
// and by the steps themselves to reach other pods. People rarely need to. `run`: the lock on the
// allocation file keeps a second agent out, the exclusive mkdir of each run directory keeps a step
// from running twice. Messages go to stderr, one line each, and name the file.
#include "agents/agent/agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "agents/agent/noise/remote_noise.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/provenance/provenance.h"
#include "agents/agent/push/push.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
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
  const auto parsed = parse_spread(arguments);
  if (parsed) return run_spread(*parsed);
  std::fprintf(stderr, "kneepoint-agent spread: %s\n", parsed.error().message.c_str());
  return kExitUsage;
}

int exec(const std::vector<std::string>& arguments) {
  std::string text;
  for (std::size_t i = 1; i < arguments.size(); ++i) text += (i > 1 ? " " : "") + arguments[i];
  return exec_in_pod(arguments[0], text);
}

int complain(int exit_code, const std::string& path, const std::string& message) {
  std::fprintf(stderr, "kneepoint-agent: %s: %s\n", path.c_str(), message.c_str());
  return exit_code;
}

// An open file description lock: it ends with this process and no sooner, and fork doesn't share it
// beyond exec.
bool lock(const Fd& file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(file.get(), F_OFD_SETLK, &whole) == 0;
}

// A controller has cancelled it before anybody began it (orchestrator/backend/allocation_files.cc).
bool is_withdrawn(const std::string& path) {
  return access((path + ".withdrawn").c_str(), F_OK) == 0;
}

constexpr int kLateLooks = 300;  // at an allocation file that a shared folder shows late: a minute
constexpr int kLateLookMs = 200;

// Under Slurm the file was written on another host, maybe just now.
Fd open_allocation(const std::string& path, Signals& signals) {
  int looks = std::getenv("SLURM_JOB_ID") == nullptr ? 0 : kLateLooks;
  for (;;) {
    Fd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file.is_open() || errno != ENOENT || looks-- <= 0) return file;
    const int why = errno;
    poll(nullptr, 0, kLateLookMs);
    signals.read_pending();
    errno = why;
    if (signals.cancel_asked()) return file;
  }
}

int run_steps(const AllocationFile& allocation, const std::string& path, Signals& signals) {
  const Facts node = node_facts();
  const auto order = node_order(environment_variable("SLURM_JOB_NODELIST"),
                                environment_variable("SLURMD_NODENAME"), allocation.name);
  for (StepSpec step : allocation.steps) {
    signals.read_pending();
    if (signals.cancel_asked()) break;
    Placement placed = place_step(step, order);
    step.argv = std::move(placed.argv);
    step.node_names = std::move(placed.nodes);
    const auto end = run_step(step, node, signals);
    if (!end) return complain(kExitIo, path, end.error().in(step.attempt).message);
    if (*end == StepEnd::cancelled) break;
  }
  return kExitDone;
}

int run_allocation(const std::string& path) {
  fill_standard_descriptors();
  auto signals = Signals::take();
  if (!signals) return complain(kExitIo, path, signals.error().message);
  // The agent outlives the controller, but not the agent of its pod.
  if (std::getenv(kLostVariable) == nullptr) prctl(PR_SET_PDEATHSIG, 0);

  const Fd file = open_allocation(path, *signals);
  if (!file.is_open()) return complain(kExitUsage, path, system_error("open", errno).message);
  if (!lock(file)) {
    if (errno == EAGAIN || errno == EACCES) {
      return complain(kExitAlready, path, "another agent runs this allocation");
    }
    return complain(kExitIo, path, system_error("lock", errno).message);
  }
  if (is_withdrawn(path)) return kExitDone;
  const auto allocation = parse_allocation(read_small(path, 64 * 1024 * 1024));
  if (!allocation) return complain(kExitUsage, path, allocation.error().message);

  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Pusher pusher;
  if (allocation->push) pusher.start(path);
  const int code = run_steps(*allocation, path, *signals);
  pusher.finish(*signals);
  return code;
}

}  // namespace
}  // namespace kneepoint::agent

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
