// SPDX-License-Identifier: Apache-2.0
//
// What a partition and a whole cut come to, by simulation, and the usual cuts that a recommended
// one is compared with. The search is in cut_search.cc.
#include "orchestrator/cost/sizing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/cost/cut_search.h"
#include "orchestrator/model/money.h"

namespace kneepoint {
namespace {

constexpr double kSecondsOfAnHour = 3600;
constexpr double kRounding = 1e-9;
constexpr int kMostTries = 40;  // of other K, until the shared partition is as good as it gets

std::vector<int> all_of(const SizingMix& mix) {
  std::vector<int> all(mix.workloads.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// How badly one partition of all nodes does with these options; smaller is better.
struct Badness {
  bool saturated = false;
  double late = 0;  // jobs too many that are late, and the mean time too late: shares, summed
  double cost = 0;

  auto operator<=>(const Badness&) const = default;
};

Badness badness_of(const SizingMix& mix, const Cut& cut) {
  const CutOutcome outcome = assess(mix, cut);
  Badness bad{outcome.saturated};
  for (std::size_t w = 0; w < mix.workloads.size(); ++w) {
    const auto& deadline = mix.workloads[w].deadline_seconds;
    const double seconds = option_of(mix, cut, w).seconds + outcome.workloads[w].queue.wait.mean;
    if (deadline) {
      const double allowed = 1 - mix.workloads[w].in_time;
      bad.late += std::max(0.0, outcome.workloads[w].queue.missed - allowed) +
                  std::max(0.0, seconds / *deadline - 1);
    }
    bad.cost += to_units(outcome.workloads[w].hour_micros);
  }
  return bad;
}

// The cheapest option that fits and is fast enough without a wait; else the fastest that fits.
std::optional<int> cheapest_in_time(const SizingWorkload& one, int nodes) {
  std::optional<int> best;
  bool in_time = false;
  for (int o = 0; o < static_cast<int>(one.options.size()); ++o) {
    const SizingOption& option = one.options[o];
    if (option.nodes > nodes) continue;
    const bool fast = !one.deadline_seconds || option.seconds <= *one.deadline_seconds;
    const SizingOption* other = best ? &one.options[*best] : nullptr;
    const bool better = other == nullptr || (fast && !in_time) ||
                        (fast == in_time && (fast ? option.job_micros < other->job_micros
                                                  : option.seconds < other->seconds));
    if (!better) continue;
    best = o;
    in_time = fast;
  }
  return best;
}

std::vector<int> key_of(const std::vector<int>& group, const std::vector<int>& options) {
  std::vector<int> key;
  for (const int w : group) {
    key.push_back(w);
    key.push_back(options[w]);
  }
  return key;
}

}  // namespace

bool CutJudge::in_time(int workload, const QueueClassResult& result) const {
  const SizingWorkload& one = mix_.workloads[workload];
  return !one.deadline_seconds || result.missed <= 1 - one.in_time + kRounding;
}

double CutJudge::offered(int workload, int option) const {
  const SizingWorkload& one = mix_.workloads[workload];
  const SizingOption& at = one.options[option];
  return one.per_hour / kSecondsOfAnHour * scatter_of(at.times).mean * at.nodes;
}

QueueResult CutJudge::play(const std::vector<int>& group, const std::vector<int>& options,
                           int nodes) const {
  std::vector<QueueClass> classes;
  for (const int w : group) {
    const SizingWorkload& one = mix_.workloads[w];
    const SizingOption& at = one.options[options[w]];
    classes.push_back({.name = one.name,
                       .nodes = at.nodes,
                       .per_hour = one.per_hour,
                       .periodic = one.periodic,
                       .seconds = at.times,
                       .spread = one.spread,
                       .deadline_seconds = one.deadline_seconds});
  }
  return simulate_queue(classes, {.nodes = nodes, .backfill = mix_.backfill, .seed = mix_.seed});
}

bool CutJudge::keeps_up(const std::vector<int>& group, const std::vector<int>& options, int nodes) {
  Key key{key_of(group, options), nodes};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const QueueResult result = play(group, options, nodes);
  simulated_jobs_ += result.jobs;
  bool good = !result.saturated;
  for (std::size_t i = 0; i < group.size() && good; ++i)
    good = in_time(group[i], result.classes[i]);
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
    const SizingWorkload& one = mix_.workloads[w];
    const SizingOption& at = one.options[options[w]];
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
      const SizingWorkload& one = mix_.workloads[w];
      const SizingOption& at = one.options[options[w]];
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
    const SizingWorkload& one = mix_.workloads[w];
    const SizingOption& at = one.options[options[w]];
    busy += offered(w, options[w]);
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
    const int guess = std::clamp(
        (first_guess(group, options, least, last) + step - 1) / step * step, least, last);
    const bool up = !keeps_up(group, options, guess);
    int good = up ? 0 : guess, bad = up ? guess : least - step;
    for (int stride = step; up ? good == 0 && bad < last : good > bad + step; stride *= 2) {
      const int at = up ? std::min(last, bad + stride) : std::max(bad + step, good - stride);
      const bool enough = keeps_up(group, options, at);
      (enough ? good : bad) = at;
      if (!up && !enough) break;
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

const SizingOption& option_of(const SizingMix& mix, const Cut& cut, std::size_t workload) {
  return mix.workloads[workload].options[cut.options[workload]];
}

int Cut::nodes() const {
  int sum = 0;
  for (const Partition& one : partitions) sum += one.nodes;
  return sum;
}

CutOutcome assess(const SizingMix& mix, const Cut& cut) {
  const CutJudge judge(mix);
  CutOutcome outcome;
  outcome.workloads.resize(mix.workloads.size());
  outcome.feasible = true;
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const Cut::Partition& part = cut.partitions[p];
    std::vector<int> fits;
    for (const int w : part.workloads) {
      const SizingWorkload& workload = mix.workloads[w];
      const SizingOption& option = option_of(mix, cut, w);
      WorkloadOutcome& one = outcome.workloads[w];
      one.partition = static_cast<int>(p);
      one.too_large = option.nodes > part.nodes;
      if (!one.too_large) fits.push_back(w);
      one.hour_micros = round_micros(to_units(option.job_micros) * workload.per_hour);
      outcome.feasible = outcome.feasible && !one.too_large;
      outcome.results_per_hour += workload.per_hour * workload.value;
      if (mix.pay == Pay::used) outcome.hour_micros += one.hour_micros;
    }
    if (mix.pay == Pay::held) outcome.hour_micros += mix.node_hour_micros * part.nodes;
    outcome.partitions.push_back(judge.play(fits, cut.options, part.nodes));
    const QueueResult& played = outcome.partitions.back();
    outcome.saturated = outcome.saturated || played.saturated;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      WorkloadOutcome& one = outcome.workloads[fits[i]];
      one.queue = played.classes[i];
      one.in_time = !played.saturated && judge.in_time(fits[i], one.queue);
      outcome.feasible = outcome.feasible && one.in_time;
    }
  }
  if (outcome.hour_micros > 0 && !outcome.saturated) {
    outcome.results_per_unit = outcome.results_per_hour / to_units(outcome.hour_micros);
  }
  return outcome;
}

std::optional<Cut> one_shared_partition(const SizingMix& mix) {
  Cut cut;
  cut.partitions = {{all_of(mix), mix.nodes}};
  for (const SizingWorkload& one : mix.workloads) {
    const auto option = cheapest_in_time(one, mix.nodes);
    if (!option) return std::nullopt;
    cut.options.push_back(*option);
  }
  // One K at a time, as long as it helps.
  Badness bad = badness_of(mix, cut);
  int tries = 0;
  for (bool better = true; better;) {
    better = false;
    for (std::size_t w = 0; w < mix.workloads.size(); ++w) {
      for (const int step : {-1, 1}) {
        if (!bad.saturated && bad.late <= 0) return cut;
        Cut other = cut;
        other.options[w] += step;
        if (other.options[w] < 0 ||
            other.options[w] >= static_cast<int>(mix.workloads[w].options.size()) ||
            option_of(mix, other, w).nodes > mix.nodes) {
          continue;
        }
        if (++tries > kMostTries) return cut;
        const Badness now = badness_of(mix, other);
        if (!(now < bad)) continue;
        bad = now;
        cut = other;
        better = true;
      }
    }
  }
  return cut;
}

std::optional<Cut> largest_k(const SizingMix& mix) {
  Cut cut;
  cut.partitions = {{all_of(mix), mix.nodes}};
  for (const SizingWorkload& one : mix.workloads) {
    int largest = -1;
    for (int o = 0; o < static_cast<int>(one.options.size()); ++o) {
      if (one.options[o].nodes <= mix.nodes) largest = o;
    }
    if (largest < 0) return std::nullopt;
    cut.options.push_back(largest);
  }
  return cut;
}

std::optional<Cut> even_partitions(const SizingMix& mix) {
  const int count = static_cast<int>(mix.workloads.size());
  const int part = mix.nodes / count;
  if (count < 2 || part < 1) return std::nullopt;
  Cut cut;
  CutJudge judge(mix);
  for (int w = 0; w < count; ++w) {
    const SizingWorkload& one = mix.workloads[w];
    const auto first = cheapest_in_time(one, part);
    if (!first) return std::nullopt;
    cut.options.push_back(*first);
    cut.partitions.push_back({{w}, part});
  }
  for (int w = 0; w < count; ++w) {
    const SizingWorkload& one = mix.workloads[w];
    std::vector<int> options = cut.options;
    int& mine = options[w];
    std::optional<int> best;
    for (mine = 0; mine < static_cast<int>(one.options.size()); ++mine) {
      const SizingOption& option = one.options[mine];
      if (option.nodes > part || !judge.keeps_up({w}, options, part)) continue;
      if (!best || option.job_micros < one.options[*best].job_micros) {
        best = mine;
      }
    }
    if (best) cut.options[w] = *best;
  }
  return cut;
}

}  // namespace kneepoint
