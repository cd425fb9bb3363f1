// SPDX-License-Identifier: Apache-2.0
//
// One epoll set: a pidfd per watched process and one signalfd. A pidfd stays readable once its
// process has ended, so an end between two waits is never missed; each is closed when reported.
#include "orchestrator/io/poller.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/fd.h"

namespace kneepoint {
namespace {

constexpr std::uint64_t kSignals = ~0ULL;  // epoll tag of the signalfd; processes use their pid

Fd open_pidfd(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));  // close-on-exec by definition
}

int timeout_in_ms(Nanoseconds left) {
  if (left <= 0) return 0;
  const Nanoseconds ms = (left + kMillisecond - 1) / kMillisecond;
  return static_cast<int>(std::min<Nanoseconds>(ms, INT_MAX));
}

}  // namespace

bool Poller::watch(const Fd& fd, std::uint64_t tag) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
}

void Poller::read_signals(Woken& woken) const {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    woken.signals.push_back(static_cast<int>(info.ssi_signo));
  }
}

void Poller::take_end(pid_t pid, Woken& woken) {
  ::waitpid(pid, nullptr, WNOHANG);  // reaps it if it is ours; ECHILD if not
  pidfds_.erase(pid);
  woken.ended.push_back(pid);
}

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  ENSURE(epoll_.is_open(), "no descriptor left for epoll");
}

Poller::~Poller() {
  if (!signals_.is_open()) return;
  signals_.reset();
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

Result<void> Poller::take_signals() {
  if (signals_.is_open()) return {};
  sigset_t taken;
  sigemptyset(&taken);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&taken, number);
  Fd fd(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.is_open()) return system_error("signalfd", errno);
  if (!watch(fd, kSignals)) return system_error("watch signals", errno);
  ::pthread_sigmask(SIG_BLOCK, &taken, &mask_before_);
  signals_ = std::move(fd);
  return {};
}

Result<void> Poller::watch_process(pid_t pid) {
  if (pidfds_.count(pid) != 0) return {};
  Fd fd = open_pidfd(pid);
  if (!fd.is_open()) {
    if (errno != ESRCH) return system_error("watch process " + std::to_string(pid), errno);
    gone_already_.push_back(pid);
    return {};
  }
  if (!watch(fd, static_cast<std::uint64_t>(pid))) {
    return system_error("watch process " + std::to_string(pid), errno);
  }
  pidfds_.emplace(pid, std::move(fd));
  return {};
}

Result<Poller::Woken> Poller::wait(Nanoseconds at_most) {
  Woken woken;
  woken.ended.swap(gone_already_);
  const Clock& clock = system_clock();
  const Nanoseconds until = clock.steady() + std::min(std::max<Nanoseconds>(at_most, 0), kHour);
  epoll_event events[64];
  int timeout = woken.ended.empty() ? timeout_in_ms(std::min(at_most, kHour)) : 0;
  while (true) {
    const int count = ::epoll_wait(epoll_.get(), events, 64, timeout);
    if (count < 0) {
      if (errno != EINTR) return system_error("wait for processes", errno);
      timeout = timeout_in_ms(until - clock.steady());
      continue;
    }
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == kSignals) {
        read_signals(woken);
      } else {
        take_end(static_cast<pid_t>(events[i].data.u64), woken);
      }
    }
    if (count < 64) break;
    timeout = 0;  // the array was full: more may have ended
  }
  return woken;
}

}  // namespace kneepoint
