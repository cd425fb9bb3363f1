// SPDX-License-Identifier: Apache-2.0
//
// Closed forms of waiting lines: exact for M/M/c and M/G/1, an approximation (Allen and Cunneen)
// for all else. docs/methods.md has them; the simulation is checked against them.
#pragma once

namespace kneepoint {

// P(an arrival waits) with `servers` and `offered` = rate x service time, offered < servers.
double erlang_c(int servers, double offered);

struct WaitTerms {
  int servers = 1;
  double rate = 0;      // arrivals a second
  double seconds = 0;   // mean time of service
  double arrival2 = 1;  // squared coefficient of variation between arrivals: 1 Poisson, 0 periodic
  double service2 = 0;  // ... of the service
};

// Mean wait in seconds; infinite when rate x seconds >= servers.
double expected_wait(const WaitTerms& terms);

// P(wait > seconds), by an exponential tail: exact for M/M/c; 1 when the queue only grows.
double late_share(const WaitTerms& terms, double seconds);

}  // namespace kneepoint
