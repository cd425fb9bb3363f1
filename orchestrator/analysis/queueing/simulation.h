// SPDX-License-Identifier: Apache-2.0
//
// How long jobs wait for their nodes in one partition, by playing it through: seeded, so the same
// question has the same answer everywhere. Assumptions: jobs of a class come independently (Poisson
// or periodic), a job holds its nodes whole and never fails, the queue is first come first served,
// with or without backfill by a scheduler that knows how long each job takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// Jobs that are alike.
struct QueueClass {
  std::string name;  // seeds its streams: a class has the same jobs in whatever partition it is
  int nodes = 1;
  double per_hour = 0;
  bool periodic = false;        // at a fixed pace from a random start; else Poisson
  std::vector<double> seconds;  // a job takes one of these, each as likely
  double spread = 0;            // log-normal factor on it: its coefficient of variation
  bool exponential = false;     // instead of both: exponential with the mean of `seconds`
  std::optional<double> deadline_seconds;  // for wait + run; only counts who misses it
};

struct QueueOptions {
  int nodes = 1;
  bool backfill = false;
  std::uint64_t seed = 1;
  int replications = 10;
  int jobs = 1000;         // of a replication at least; more where the partition is nearly full
  int rarest = 40;         // jobs that the rarest class has in a replication...
  int most_jobs = 10'000;  // ...unless that makes it longer than this
  double warm_up = 0.2;    // first share of a replication, which doesn't count
};

// A mean over replications; the interval is Student's over their means, none with one of them.
struct Estimate {
  double mean = 0;
  std::optional<Interval> interval;
  static constexpr auto fields() {
    using T = Estimate;
    return described(field("mean", &T::mean),
                     fields_of([](const T& one) { return bounds_of(one.interval); }));
  }
};

struct QueueClassResult {
  Estimate wait, wait_p95;  // seconds
  double missed = 0;        // share of its jobs that miss the deadline
  long jobs = 0;            // that these figures rest on
};

struct QueueResult {
  std::vector<QueueClassResult> classes;  // in the order given
  Estimate utilisation;                   // share of the node time that was busy
  double offered = 0;                     // the same as asked for: rate x time x nodes / nodes
  bool saturated = false;  // the queue only grows: waits then mean nothing, and are left at 0
  long jobs = 0;           // played
};

// Every class has nodes <= options.nodes, a rate above 0 and times above 0.
QueueResult simulate_queue(const std::vector<QueueClass>& classes, const QueueOptions& options);

// Mean and squared coefficient of variation of what a job of the class takes.
double mean_seconds(const QueueClass& one);
double squared_variation(const QueueClass& one);

// ---- Closed forms of waiting lines: exact for M/M/c and M/G/1, an approximation (Allen and
// Cunneen) for all else. docs/methods.md has them; the simulation is checked against them.

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
