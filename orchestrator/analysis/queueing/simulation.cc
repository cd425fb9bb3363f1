// SPDX-License-Identifier: Apache-2.0
//
// Jobs are drawn first, class by class, and then played in the order of their arrival.
#include "orchestrator/analysis/queueing/simulation.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <queue>

#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/base/random.h"

namespace kneepoint {

namespace {

constexpr double kSecondsOfAnHour = 3600;
constexpr double kFullest = 0.999;       // more is taken as a queue that only grows
constexpr double kBacklogShare = 0.1;    // last wait over the time played: so is this
constexpr std::size_t kLookAhead = 100;  // jobs behind the first that backfill looks at
constexpr double kP95 = 0.95;

struct Job {
  double arrival = 0, seconds = 0, start = 0;
  int nodes = 1;
  std::size_t of = 0;  // class
};

double draw_seconds(const QueueClass& one, double mean, Random& random) {
  if (one.exponential) return -mean * std::log1p(-random.uniform());
  double seconds =
      one.seconds.size() == 1 ? one.seconds.front() : one.seconds[random.below(one.seconds.size())];
  if (one.spread > 0) {
    const double variance = std::log1p(one.spread * one.spread);
    seconds *= std::exp(std::sqrt(variance) * random.normal() - variance / 2);
  }
  return seconds;
}

void draw_jobs(const std::vector<QueueClass>& classes, double horizon, std::uint64_t seed,
               int replication, std::vector<Job>& jobs) {
  jobs.clear();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const QueueClass& one = classes[c];
    const std::string name = one.name + "/" + std::to_string(replication);
    Random arrivals(seed, "arrivals of " + name), services(seed, "times of " + name);
    const double gap = kSecondsOfAnHour / one.per_hour, mean = mean_seconds(one);
    double now = one.periodic ? gap * arrivals.uniform() : 0;
    if (!one.periodic) now = -gap * std::log1p(-arrivals.uniform());
    while (now < horizon) {
      jobs.push_back({now, draw_seconds(one, mean, services), 0, one.nodes, c});
      now += one.periodic ? gap : -gap * std::log1p(-arrivals.uniform());
    }
  }
  if (classes.size() == 1) return;  // in order already
  std::ranges::stable_sort(jobs, {}, &Job::arrival);
}

using Ends = std::pair<double, int>;  // when, nodes

void play_in_order(std::vector<Job>& jobs, int nodes) {
  std::priority_queue<Ends, std::vector<Ends>, std::greater<>> running;
  int free = nodes;
  double now = 0;
  const auto release = [&] {
    free += running.top().second;
    running.pop();
  };
  for (Job& job : jobs) {
    now = std::max(now, job.arrival);
    while (!running.empty() && running.top().first <= now) release();
    while (free < job.nodes) {
      now = running.top().first;
      release();
    }
    job.start = now;
    free -= job.nodes;
    running.emplace(now + job.seconds, job.nodes);
  }
}

// The first in the queue has its start reserved; others may overtake if they don't delay it.
class Backfill {
 public:
  Backfill(std::vector<Job>& jobs, int nodes) : jobs_(jobs), free_(nodes) {}

  void play() {
    std::size_t next = 0;
    while (next < jobs_.size() || !waiting_.empty()) {
      const double arrival = next < jobs_.size() ? jobs_[next].arrival : INFINITY;
      const double end = running_.empty() ? INFINITY : running_.begin()->first;
      const double now = std::min(arrival, end);
      while (!running_.empty() && running_.begin()->first <= now) {
        free_ += running_.begin()->second;
        running_.erase(running_.begin());
      }
      while (next < jobs_.size() && jobs_[next].arrival <= now) waiting_.push_back(next++);
      start_what_fits(now);
    }
  }

 private:
  void start(std::size_t which, double now) {
    Job& job = jobs_[which];
    job.start = now;
    free_ -= job.nodes;
    running_.emplace(now + job.seconds, job.nodes);
  }

  void start_what_fits(double now) {
    while (!waiting_.empty() && jobs_[waiting_.front()].nodes <= free_) {
      start(waiting_.front(), now);
      waiting_.pop_front();
    }
    if (waiting_.size() < 2 || free_ == 0) return;
    int there = free_;
    double reserved = now;
    for (const auto& [end, count] : running_) {
      there += count;
      reserved = end;
      if (there >= jobs_[waiting_.front()].nodes) break;
    }
    int extra = there - jobs_[waiting_.front()].nodes;  // left beside the first when it starts
    std::size_t seen = 0;
    for (auto at = waiting_.begin() + 1; at != waiting_.end() && seen < kLookAhead; ++seen) {
      const Job& job = jobs_[*at];
      const bool in_time = now + job.seconds <= reserved;
      if (job.nodes > free_ || !(in_time || job.nodes <= extra)) {
        ++at;
        continue;
      }
      if (!in_time) extra -= job.nodes;
      start(*at, now);
      at = waiting_.erase(at);
    }
  }

  std::vector<Job>& jobs_;
  int free_;
  std::multimap<double, int> running_;
  std::deque<std::size_t> waiting_;
};

double quantile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

Estimate estimate_of(const std::vector<double>& means) {
  Estimate estimate;
  if (means.empty()) return estimate;
  const auto count = static_cast<double>(means.size());
  const auto [mean, squares] = scatter_of(means);
  estimate.mean = mean;
  if (means.size() < 2) return estimate;
  const double half =
      student_t_quantile(0.5 + kLevel / 2, count - 1) * std::sqrt(squares / (count - 1) / count);
  estimate.interval = Interval{std::max(0.0, mean - half), mean + half, kLevel, "replications"};
  return estimate;
}

// What the replications gave, class by class.
struct Gathered {
  std::vector<std::vector<double>> waits, p95s;  // means of each replication
  std::vector<long> jobs, missed;
  std::vector<double> busy;
  double backlog = 0;  // last wait over the time played, summed
};

void gather(const std::vector<QueueClass>& classes, const std::vector<Job>& jobs, int nodes,
            double from, double until, Gathered& all) {
  std::vector<std::vector<double>> waits(classes.size());
  double busy = 0;
  for (const Job& job : jobs) {
    busy += job.nodes *
            std::max(0.0, std::min(job.start + job.seconds, until) - std::max(job.start, from));
    if (job.arrival < from) continue;
    const double wait = job.start - job.arrival;
    waits[job.of].push_back(wait);
    ++all.jobs[job.of];
    const auto& deadline = classes[job.of].deadline_seconds;
    if (deadline && wait + job.seconds > *deadline) ++all.missed[job.of];
  }
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (waits[c].empty()) continue;
    all.waits[c].push_back(scatter_of(waits[c]).mean);
    all.p95s[c].push_back(quantile(waits[c], kP95));
  }
  all.busy.push_back(busy / ((until - from) * nodes));
  if (!jobs.empty()) all.backlog += (jobs.back().start - jobs.back().arrival) / until;
}

double horizon_of(const std::vector<QueueClass>& classes, const QueueOptions& options,
                  double offered) {
  double rate = 0, rarest = INFINITY;
  int largest = 1;
  for (const QueueClass& one : classes) {
    rate += one.per_hour;
    rarest = std::min(rarest, one.per_hour);
    largest = std::max(largest, one.nodes);
  }
  // A nearly full queue forgets its start slowly: after about servers/(1-utilisation)^2 jobs.
  const double servers = std::max(1.0, static_cast<double>(options.nodes) / largest);
  const double slow = 8 * servers / ((1 - offered) * (1 - offered));
  const double hours =
      std::max(std::max<double>(options.jobs, slow) / rate, options.rarest / rarest);
  return kSecondsOfAnHour * std::min(hours, options.most_jobs / rate);
}

}  // namespace

double mean_seconds(const QueueClass& one) {
  return scatter_of(one.seconds).mean;
}

double squared_variation(const QueueClass& one) {
  if (one.exponential) return 1;
  const auto [mean, squares] = scatter_of(one.seconds);
  const double drawn = squares / static_cast<double>(one.seconds.size()) / (mean * mean);
  return (1 + drawn) * (1 + one.spread * one.spread) - 1;
}

QueueResult simulate_queue(const std::vector<QueueClass>& classes, const QueueOptions& options) {
  QueueResult result;
  result.classes.resize(classes.size());
  for (const QueueClass& one : classes) {
    ENSURE(one.nodes >= 1 && one.nodes <= options.nodes && one.per_hour > 0 && !one.seconds.empty(),
           "jobs that can't be played");
    result.offered +=
        one.per_hour / kSecondsOfAnHour * mean_seconds(one) * one.nodes / options.nodes;
  }
  if (classes.empty()) return result;
  result.saturated = result.offered > kFullest;
  if (result.saturated) {
    result.utilisation.mean = 1;
    return result;
  }
  const double until = horizon_of(classes, options, result.offered);
  const double from = options.warm_up * until;
  Gathered all;
  all.waits.resize(classes.size());
  all.p95s.resize(classes.size());
  all.jobs.resize(classes.size());
  all.missed.resize(classes.size());
  std::vector<Job> jobs;
  for (int r = 0; r < options.replications; ++r) {
    draw_jobs(classes, until, options.seed, r, jobs);
    result.jobs += static_cast<long>(jobs.size());
    if (options.backfill) {
      Backfill(jobs, options.nodes).play();
    } else {
      play_in_order(jobs, options.nodes);
    }
    gather(classes, jobs, options.nodes, from, until, all);
  }
  result.utilisation = estimate_of(all.busy);
  result.saturated = all.backlog / options.replications > kBacklogShare;
  for (std::size_t c = 0; c < classes.size() && !result.saturated; ++c) {
    QueueClassResult& one = result.classes[c];
    one.wait = estimate_of(all.waits[c]);
    one.wait_p95 = estimate_of(all.p95s[c]);
    one.jobs = all.jobs[c];
    if (one.jobs > 0) {
      one.missed = static_cast<double>(all.missed[c]) / static_cast<double>(one.jobs);
    }
  }
  // A class so rare that none of its jobs came: no better off than the worst of the others.
  Estimate worst, worst_p95;
  for (const QueueClassResult& one : result.classes) {
    if (one.wait.mean > worst.mean) worst = one.wait;
    if (one.wait_p95.mean > worst_p95.mean) worst_p95 = one.wait_p95;
  }
  for (std::size_t c = 0; c < classes.size(); ++c) {
    QueueClassResult& one = result.classes[c];
    if (one.jobs > 0) continue;
    one.wait = worst;
    one.wait_p95 = worst_p95;
    const auto& deadline = classes[c].deadline_seconds;
    one.missed = deadline && worst_p95.mean + mean_seconds(classes[c]) > *deadline ? 1 : 0;
  }
  return result;
}

namespace {

double mean_of_those_who_wait(const WaitTerms& terms, double offered) {
  return terms.seconds / (terms.servers - offered) * (terms.arrival2 + terms.service2) / 2;
}

}  // namespace

double erlang_c(int servers, double offered) {
  ENSURE(servers >= 1 && offered >= 0 && offered < servers, "a queue that grows for ever");
  // Erlang B by its recursion, which never overflows, then C from B.
  double blocked = 1;
  for (int i = 1; i <= servers; ++i) blocked = offered * blocked / (i + offered * blocked);
  return blocked / (1 - offered / servers * (1 - blocked));
}

double expected_wait(const WaitTerms& terms) {
  const double offered = terms.rate * terms.seconds;
  if (offered <= 0) return 0;
  if (offered >= terms.servers) return std::numeric_limits<double>::infinity();
  const double waits = erlang_c(terms.servers, offered);
  return waits * mean_of_those_who_wait(terms, offered);
}

double late_share(const WaitTerms& terms, double seconds) {
  const double offered = terms.rate * terms.seconds;
  if (offered <= 0) return 0;
  if (offered >= terms.servers) return 1;
  const double mean = mean_of_those_who_wait(terms, offered);
  if (mean <= 0) return 0;  // at a fixed pace nobody waits
  return erlang_c(terms.servers, offered) * std::exp(-seconds / mean);
}

}  // namespace kneepoint
