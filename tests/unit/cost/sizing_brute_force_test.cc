// SPDX-License-Identifier: Apache-2.0
//
// The search against every cut there is: all groupings, all K, all sizes, by the same simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "orchestrator/cost/cut_search.h"
#include "orchestrator/model/money.h"
#include "tests/unit/cost/mix_builder.h"

namespace kneepoint {
namespace {

constexpr double kWithin = 1.02;

using Groups = std::vector<std::vector<int>>;

void all_groupings(int next, int count, Groups& groups, std::vector<Groups>& all) {
  if (next == count) {
    all.push_back(groups);
    return;
  }
  for (std::size_t g = 0; g <= groups.size(); ++g) {
    if (g == groups.size()) {
      groups.push_back({next});
      all_groupings(next + 1, count, groups, all);
      groups.pop_back();
    } else {
      groups[g].push_back(next);
      all_groupings(next + 1, count, groups, all);
      groups[g].pop_back();
    }
  }
}

// Units an hour of the cheapest cut that keeps every deadline; negative: there is none.
double least_cost(const SizingMix& mix) {
  const int count = static_cast<int>(mix.workloads.size());
  std::vector<Groups> all;
  Groups none;
  all_groupings(0, count, none, all);
  CutJudge judge(mix);
  // The smallest size of all, without assuming that a larger one is as good.
  const auto smallest = [&](const std::vector<int>& group, const std::vector<int>& options) {
    int least = 1;
    for (const int w : group) {
      const auto& one = mix.workloads[static_cast<std::size_t>(w)];
      least = std::max(
          least, one.options[static_cast<std::size_t>(options[static_cast<std::size_t>(w)])].nodes);
    }
    for (int nodes = least; nodes <= mix.nodes; ++nodes) {
      if (judge.keeps_up(group, options, nodes)) return nodes;
    }
    return mix.nodes + 1;
  };
  double best = -1;
  std::vector<int> options(mix.workloads.size(), 0);
  for (bool more = true; more;) {
    double used = 0;
    for (std::size_t w = 0; w < options.size(); ++w) {
      const SizingWorkload& one = mix.workloads[w];
      used += to_units(one.options[static_cast<std::size_t>(options[w])].job_micros) * one.per_hour;
    }
    for (const Groups& groups : all) {
      if (mix.pay == Pay::used && best >= 0 && used >= best) break;
      int nodes = 0;
      for (const auto& group : groups) {
        nodes += smallest(group, options);
        if (nodes > mix.nodes) break;
      }
      if (nodes > mix.nodes) continue;
      const double cost = mix.pay == Pay::used ? used : to_units(mix.node_hour_micros) * nodes;
      if (best < 0 || cost < best) best = cost;
    }
    more = false;
    for (std::size_t w = 0; w < options.size() && !more; ++w) {
      more = ++options[w] < static_cast<int>(mix.workloads[w].options.size());
      if (!more) options[w] = 0;
    }
  }
  return best;
}

struct Tally {
  int mixes = 0, feasible = 0, exact = 0, missed = 0;
  double worst = 1;
};

void compare(const SizingMix& mix, const SizingOptions& options, const std::string& what,
             Tally& tally) {
  const double best = least_cost(mix);
  const SizingAnswer answer = size_partitions(mix, options);
  ++tally.mixes;
  if (best < 0) {
    EXPECT_FALSE(answer.cut) << what;
    EXPECT_FALSE(answer.why.empty()) << what;
    return;
  }
  ++tally.feasible;
  if (!answer.cut) {
    ++tally.missed;
    return;
  }
  EXPECT_TRUE(answer.outcome.feasible) << what;
  EXPECT_LE(answer.cut->nodes(), mix.nodes) << what;
  const double ratio = to_units(answer.outcome.hour_micros) / best;
  EXPECT_GE(ratio, 1 - 1e-5) << what << ": better than everything there is?";
  EXPECT_LE(*answer.cost_bound, to_units(answer.outcome.hour_micros) * (1 + 1e-5)) << what;
  tally.worst = std::max(tally.worst, ratio);
  if (ratio < 1 + 1e-5) ++tally.exact;
}

// Seeds from `first` on; every fourth mix pays for nodes that are held.
Tally many(int workloads, int mixes, std::uint64_t first, const SizingOptions& options) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(mixes); ++seed) {
    const int nodes = workloads == 2 ? 8 + static_cast<int>(seed % 5) : 8;
    SizingMix mix = random_mix(workloads, nodes, seed);
    mix.pay = seed % 4 == 0 ? Pay::held : Pay::used;
    compare(mix, options, "seed " + std::to_string(seed), tally);
  }
  std::printf("%d workloads, %s: %d mixes, %d feasible, %d missed, %d at the optimum, worst %.4f\n",
              workloads, options.enumerate_up_to > 0 ? "every way" : "step by step", tally.mixes,
              tally.feasible, tally.missed, tally.exact, tally.worst);
  EXPECT_GE(2 * tally.feasible, mixes);
  EXPECT_EQ(tally.missed, 0);
  EXPECT_LE(tally.worst, kWithin);
  return tally;
}

const SizingOptions kEveryWay;
const SizingOptions kStepByStep = {.enumerate_up_to = 0};  // what large mixes get

TEST(SizingAgainstBruteForce, TwoWorkloadsAreWithinTwoPercentOfTheOptimum) {
  many(2, 8, 1, kEveryWay);
}

TEST(SizingAgainstBruteForce, StepByStepIsWithinTwoPercentToo) {
  many(2, 8, 201, kStepByStep);
}

TEST(SizingAgainstBruteForce, ManyMixesOfTwoAreWithinTwoPercent) {
  many(2, 60, 1001, kEveryWay);
  many(2, 60, 1001, kStepByStep);
}

TEST(SizingAgainstBruteForce, ManyMixesOfThreeAreWithinTwoPercent) {
  many(3, 20, 101, kEveryWay);
  many(3, 20, 301, kStepByStep);
}

}  // namespace
}  // namespace kneepoint
