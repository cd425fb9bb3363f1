// SPDX-License-Identifier: Apache-2.0
//
// Lock, read, run. Messages go to stderr, one line each, and name the allocation file.
#include "agents/agent/agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "agents/agent/pod/pod.h"
#include "agents/agent/provenance/placement.h"
#include "agents/agent/push/pusher.h"
#include "agents/agent/supervise/step_runner.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

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

}  // namespace

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

}  // namespace kneepoint::agent
