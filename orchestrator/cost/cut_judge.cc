// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cost/cut_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orchestrator/analysis/queueing/simulation.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

constexpr double kSecondsOfAnHour = 3600;
constexpr double kRounding = 1e-9;

std::vector<int> key_of(const std::vector<int>& group, const std::vector<int>& options) {
  std::vector<int> key;
  for (const int w : group) {
    key.push_back(w);
    key.push_back(options[static_cast<std::size_t>(w)]);
  }
  return key;
}

}  // namespace

bool CutJudge::in_time(int workload, const QueueClassResult& result) const {
  const SizingWorkload& one = mix_.workloads[static_cast<std::size_t>(workload)];
  return !one.deadline_seconds || result.missed <= 1 - one.in_time + kRounding;
}

double CutJudge::offered(int workload, int option) const {
  const SizingWorkload& one = mix_.workloads[static_cast<std::size_t>(workload)];
  const SizingOption& at = one.options[static_cast<std::size_t>(option)];
  const double mean =
      std::accumulate(at.times.begin(), at.times.end(), 0.0) / static_cast<double>(at.times.size());
  return one.per_hour / kSecondsOfAnHour * mean * at.nodes;
}

QueueResult CutJudge::play(const std::vector<int>& group, const std::vector<int>& options,
                           int nodes) const {
  std::vector<QueueClass> classes;
  for (const int w : group) {
    const SizingWorkload& one = mix_.workloads[static_cast<std::size_t>(w)];
    const SizingOption& at =
        one.options[static_cast<std::size_t>(options[static_cast<std::size_t>(w)])];
    QueueClass& job = classes.emplace_back();
    job.name = one.name;
    job.nodes = at.nodes;
    job.per_hour = one.per_hour;
    job.periodic = one.periodic;
    job.seconds = at.times;
    job.spread = one.spread;
    job.deadline_seconds = one.deadline_seconds;
  }
  QueueOptions how;
  how.nodes = nodes;
  how.backfill = mix_.backfill;
  how.seed = mix_.seed;
  return simulate_queue(classes, how);
}

bool CutJudge::keeps_up(const std::vector<int>& group, const std::vector<int>& options, int nodes) {
  Key key{key_of(group, options), nodes};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const QueueResult result = play(group, options, nodes);
  simulated_jobs_ += result.jobs;
  bool good = !result.saturated;
  for (std::size_t i = 0; i < group.size() && good; ++i) {
    good = in_time(group[i], result.classes[i]);
  }
  known_.emplace(std::move(key), good);
  return good;
}

// Where the closed form says that deadlines are kept. Jobs of different sizes leave nodes idle that
// the next one is too large for: half of the largest is taken off.
int CutJudge::first_guess(const std::vector<int>& group, const std::vector<int>& options, int least,
                          int most) const {
  double rate = 0, seconds = 0, seconds2 = 0, work = 0, arrival2 = 0;
  int largest = 1, smallest = most;
  for (const int w : group) {
    const SizingWorkload& one = mix_.workloads[static_cast<std::size_t>(w)];
    const SizingOption& at =
        one.options[static_cast<std::size_t>(options[static_cast<std::size_t>(w)])];
    const double per_second = one.per_hour / kSecondsOfAnHour;
    rate += per_second;
    seconds += per_second * at.seconds;
    seconds2 += per_second * at.seconds * at.seconds * (1 + one.spread * one.spread);
    work += per_second * at.seconds * at.nodes;
    arrival2 += per_second * (one.periodic ? 0 : 1);
    largest = std::max(largest, at.nodes);
    smallest = std::min(smallest, at.nodes);
  }
  const double mean = seconds / rate;
  WaitTerms terms;
  terms.rate = rate;
  terms.seconds = mean;
  terms.arrival2 = arrival2 / rate;
  terms.service2 = std::max(0.0, seconds2 / rate / (mean * mean) - 1);
  const double size = work / seconds;  // of a job that runs, on average
  const double lost = largest == smallest ? 0 : largest / 2.0;
  const auto enough = [&](int nodes) {
    terms.servers = std::max(1, static_cast<int>((nodes - lost) / size));
    for (const int w : group) {
      const SizingWorkload& one = mix_.workloads[static_cast<std::size_t>(w)];
      const SizingOption& at =
          one.options[static_cast<std::size_t>(options[static_cast<std::size_t>(w)])];
      if (!one.deadline_seconds) continue;
      if (late_share(terms, *one.deadline_seconds - at.seconds) > 1 - one.in_time) return false;
    }
    return std::isfinite(expected_wait(terms));
  };
  int low = least, high = most;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    enough(middle) ? high = middle : low = middle + 1;
  }
  return low;
}

std::optional<int> CutJudge::nodes_needed(const std::vector<int>& group,
                                          const std::vector<int>& options, int most) {
  std::vector<int> key = key_of(group, options);
  if (const auto found = needs_.find(key); found != needs_.end()) {
    const auto& [asked, answer] = found->second;
    if (answer) return *answer <= most ? answer : std::nullopt;
    if (asked >= most) return std::nullopt;
  }
  double busy = 0;
  int largest = 1, step = 0;
  for (const int w : group) {
    const int option = options[static_cast<std::size_t>(w)];
    const SizingWorkload& one = mix_.workloads[static_cast<std::size_t>(w)];
    const SizingOption& at = one.options[static_cast<std::size_t>(option)];
    busy += offered(w, option);
    largest = std::max(largest, at.nodes);
    step = std::gcd(step, at.nodes);
    if (one.deadline_seconds && at.seconds > *one.deadline_seconds * (1 + kRounding)) {
      needs_[key] = {most, std::nullopt};
      return std::nullopt;
    }
  }
  ENSURE(step >= 1, "a partition without workloads");
  // Only multiples of the greatest common divisor make a difference.
  const double fullest = 0.999;
  const int least = std::max(largest, static_cast<int>(std::ceil(busy / fullest / step)) * step);
  const int last = most / step * step;
  std::optional<int> answer;
  if (least <= last) {
    // From the guess outwards in growing steps, then between by halves.
    int at = std::clamp((first_guess(group, options, least, last) + step - 1) / step * step, least,
                        last);
    int good = 0, bad = least - step;
    int stride = step;
    if (keeps_up(group, options, at)) {
      good = at;
      while (good > bad + step) {
        const int lower = std::max(bad + step, good - stride);
        if (!keeps_up(group, options, lower)) {
          bad = lower;
          break;
        }
        good = lower;
        stride *= 2;
      }
    } else {
      bad = at;
      while (good == 0 && bad < last) {
        at = std::min(last, bad + stride);
        keeps_up(group, options, at) ? good = at : bad = at;
        stride *= 2;
      }
    }
    while (good > 0 && good > bad + step) {
      const int middle = bad + (good - bad) / 2 / step * step;
      keeps_up(group, options, middle) ? good = middle : bad = middle;
    }
    if (good > 0) answer = good;
  }
  needs_[key] = {most, answer};
  return answer;
}

}  // namespace kneepoint
