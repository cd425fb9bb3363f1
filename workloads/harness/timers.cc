// SPDX-License-Identifier: Apache-2.0
//
// The only file of the workloads that sleeps. CLOCK_MONOTONIC is the clock behind Clock::steady().
#include "workloads/harness/timers.h"

#include <sys/prctl.h>

#include <cerrno>
#include <ctime>

namespace kneepoint::workloads {

void sleep_until(Nanoseconds steady) {
  // The kernel may wake a sleeper 50 us late to save power; 1 ns of slack asks it not to.
  static const int slack = ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  (void)slack;
  const timespec until{static_cast<std::time_t>(steady / kSecond),
                       static_cast<long>(steady % kSecond)};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void spin_until(Nanoseconds steady) {
  volatile double x = 1;
  while (system_clock().steady() < steady) {
    for (int i = 0; i < 32; ++i) x = x * 0.999999 + 1e-6;
  }
}

}  // namespace kneepoint::workloads
