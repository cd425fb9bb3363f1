// SPDX-License-Identifier: Apache-2.0
//
// signalfd instead of handlers: one thread, one loop, no code that runs at any instant.
#include "agents/agent/supervise/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace kneepoint::agent {

Result<Signals> Signals::take() {
  for (const int number : {SIGHUP, SIGPIPE, SIGXFSZ}) signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // a parent that ignored it would have us lose exit statuses
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, number);
  if (sigprocmask(SIG_BLOCK, &set, nullptr) != 0) return system_error("sigprocmask", errno);
  Signals signals;
  signals.file_ = Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.file_.is_open()) return system_error("signalfd", errno);
  return signals;
}

void Signals::read_pending() {
  signalfd_siginfo info{};
  while (read(file_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) cancel_asked_ = true;
  }
}

bool Signals::cancel_within(Nanoseconds most) {
  const Nanoseconds until = system_clock().steady() + most;
  for (;;) {
    read_pending();
    const Nanoseconds left = until - system_clock().steady();
    if (cancel_asked_ || left <= 0) return cancel_asked_;
    pollfd watched{file_.get(), POLLIN, 0};
    poll(&watched, 1, static_cast<int>(left / kMillisecond) + 1);
  }
}

}  // namespace kneepoint::agent
