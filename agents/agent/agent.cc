// SPDX-License-Identifier: Apache-2.0
//
// Lock, read, run. Messages go to stderr, one line each, and name the allocation file.
#include "agents/agent/agent.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "agents/agent/step_runner.h"

namespace kneepoint::agent {
namespace {

int complain(int exit_code, const std::string& path, const std::string& message) {
  std::fprintf(stderr, "kneepoint-agent: %s: %s\n", path.c_str(), message.c_str());
  return exit_code;
}

// An open file description lock: it ends with this process and no sooner, and fork doesn't share it
// beyond exec.
bool lock(const File& file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(file.fd(), F_OFD_SETLK, &whole) == 0;
}

// Descriptors 0 to 2 must be taken, or a pipe would land there.
void fill_standard_descriptors() {
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = dup(fd)) {
    if (fd > 2) {
      close(fd);
      return;
    }
  }
}

}  // namespace

int run_allocation(const std::string& path) {
  fill_standard_descriptors();
  auto signals = Signals::take();
  if (!signals) return complain(kExitIo, path, signals.error().message);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, 0);  // the agent outlives the controller

  const File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) return complain(kExitUsage, path, system_error("open", errno).message);
  if (!lock(file)) {
    if (errno == EAGAIN || errno == EACCES) {
      return complain(kExitAlready, path, "another agent runs this allocation");
    }
    return complain(kExitIo, path, system_error("lock", errno).message);
  }
  const auto allocation = parse_allocation(read_small(path, 64 * 1024 * 1024));
  if (!allocation) return complain(kExitUsage, path, allocation.error().message);

  const Facts node = node_facts();
  for (const StepSpec& step : allocation->steps) {
    signals->read_pending();
    if (signals->cancel_asked()) break;
    const auto end = run_step(step, node, *signals);
    if (!end) return complain(kExitIo, path, end.error().in(step.attempt).message);
    if (*end == StepEnd::cancelled) break;
  }
  return kExitDone;
}

}  // namespace kneepoint::agent
