// SPDX-License-Identifier: Apache-2.0
//
// What a cut comes to, and the usual cuts that a recommended one is compared with. The search is in
// cut_search.cc.
#include "orchestrator/cost/sizing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orchestrator/cost/cut_search.h"
#include "orchestrator/model/money.h"

namespace kneepoint {
namespace {

constexpr int kMostTries = 40;  // of other K, until the shared partition is as good as it gets

const SizingOption& option_of(const SizingMix& mix, const Cut& cut, std::size_t workload) {
  return mix.workloads[workload].options[static_cast<std::size_t>(cut.options[workload])];
}

std::vector<int> all_of(const SizingMix& mix) {
  std::vector<int> all(mix.workloads.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::int64_t hour_micros(const SizingWorkload& one, const SizingOption& option) {
  return round_micros(to_units(option.job_micros) * one.per_hour);
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
  Badness bad;
  bad.saturated = outcome.saturated;
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

bool fast_enough(const SizingWorkload& one, const SizingOption& option) {
  return !one.deadline_seconds || option.seconds <= *one.deadline_seconds;
}

// The cheapest option that fits and is fast enough without a wait; else the fastest that fits.
std::optional<int> cheapest_in_time(const SizingWorkload& one, int nodes) {
  std::optional<int> best;
  bool in_time = false;
  for (int o = 0; o < static_cast<int>(one.options.size()); ++o) {
    const SizingOption& option = one.options[static_cast<std::size_t>(o)];
    if (option.nodes > nodes) continue;
    const bool fast = fast_enough(one, option);
    const SizingOption* other = best ? &one.options[static_cast<std::size_t>(*best)] : nullptr;
    const bool better = other == nullptr || (fast && !in_time) ||
                        (fast == in_time && (fast ? option.job_micros < other->job_micros
                                                  : option.seconds < other->seconds));
    if (!better) continue;
    best = o;
    in_time = fast;
  }
  return best;
}

}  // namespace

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
      const auto at = static_cast<std::size_t>(w);
      WorkloadOutcome& one = outcome.workloads[at];
      one.partition = static_cast<int>(p);
      one.too_large = option_of(mix, cut, at).nodes > part.nodes;
      if (!one.too_large) fits.push_back(w);
      one.hour_micros = hour_micros(mix.workloads[at], option_of(mix, cut, at));
      outcome.feasible = outcome.feasible && !one.too_large;
      outcome.results_per_hour += mix.workloads[at].per_hour * mix.workloads[at].value;
      if (mix.pay == Pay::used) outcome.hour_micros += one.hour_micros;
    }
    if (mix.pay == Pay::held) outcome.hour_micros += mix.node_hour_micros * part.nodes;
    outcome.partitions.push_back(judge.play(fits, cut.options, part.nodes));
    const QueueResult& played = outcome.partitions.back();
    outcome.saturated = outcome.saturated || played.saturated;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      WorkloadOutcome& one = outcome.workloads[static_cast<std::size_t>(fits[i])];
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
      if (one.options[static_cast<std::size_t>(o)].nodes <= mix.nodes) largest = o;
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
    const SizingWorkload& one = mix.workloads[static_cast<std::size_t>(w)];
    const auto first = cheapest_in_time(one, part);
    if (!first) return std::nullopt;
    cut.options.push_back(*first);
    cut.partitions.push_back({{w}, part});
  }
  for (int w = 0; w < count; ++w) {
    const SizingWorkload& one = mix.workloads[static_cast<std::size_t>(w)];
    std::vector<int> options = cut.options;
    int& mine = options[static_cast<std::size_t>(w)];
    std::optional<int> best;
    for (mine = 0; mine < static_cast<int>(one.options.size()); ++mine) {
      const SizingOption& option = one.options[static_cast<std::size_t>(mine)];
      if (option.nodes > part || !judge.keeps_up({w}, options, part)) continue;
      if (!best || option.job_micros < one.options[static_cast<std::size_t>(*best)].job_micros) {
        best = mine;
      }
    }
    if (best) cut.options[static_cast<std::size_t>(w)] = *best;
  }
  return cut;
}

}  // namespace kneepoint
