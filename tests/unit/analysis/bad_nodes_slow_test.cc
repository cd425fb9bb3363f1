// SPDX-License-Identifier: Apache-2.0
//
// How often an innocent node is named, how often a guilty one is: thousands of simulated studies,
// seeded; every figure is printed, so that docs/methods.md can quote it.
#include <gtest/gtest.h>

#include <cstdio>

#include "orchestrator/analysis/bad_nodes.h"
#include "tests/unit/analysis/placement_simulation.h"

namespace kneepoint {
namespace {

struct Counts {
  int right = 0, wrong = 0, not_tested = 0;
};

Counts count(const Cluster& cluster, int studies, std::uint64_t seed) {
  Counts counts;
  for (int i = 0; i < studies; ++i) {
    const BadNodeVerdict verdict = find_bad_nodes(simulate(cluster, seed + i));
    counts.not_tested += verdict.why_not.empty() ? 0 : 1;
    bool right = false, wrong = false;
    for (const BadNode& bad : verdict.bad) {
      (cluster.bad >= 0 && bad.node == name(cluster.bad) ? right : wrong) = true;
    }
    counts.right += right ? 1 : 0;
    counts.wrong += wrong ? 1 : 0;
  }
  return counts;
}

TEST(BadNodesSlow, AnInnocentNodeIsNamedInAtMostFiveOfAHundredStudies) {
  constexpr int kStudies = 2000;
  for (const int nodes : {8, 16, 64}) {
    for (const int repeats : {5, 10}) {
      Cluster cluster;
      cluster.nodes = nodes;
      cluster.repeats = repeats;
      cluster.noise = 0.1;  // so that the least slowdown of 2 % excuses nobody
      const Counts counts = count(cluster, kStudies, 50'000);
      std::printf("no bad node: %d nodes, %d repeats: named %.4f, not tested %.3f\n", nodes,
                  repeats, 1.0 * counts.wrong / kStudies, 1.0 * counts.not_tested / kStudies);
      std::fflush(stdout);
      // 100 expected at most; more than 131 would have a chance of 1 in 1000.
      EXPECT_LE(counts.wrong, 131);
    }
  }
}

TEST(BadNodesSlow, ANodeThatIsATenthSlowerIsFoundWhereItWasInEnoughRuns) {
  constexpr int kStudies = 500;
  for (const int nodes : {8, 16, 64}) {
    for (const int repeats : {5, 10, 20}) {
      Cluster cluster;
      cluster.nodes = nodes;
      cluster.repeats = repeats;
      cluster.bad = nodes / 2;
      const Counts counts = count(cluster, kStudies, 90'000);
      std::printf("10%% slow: %d nodes, %d repeats: found %.3f, another named %.3f\n", nodes,
                  repeats, 1.0 * counts.right / kStudies, 1.0 * counts.wrong / kStudies);
      std::fflush(stdout);
      if (nodes <= 16 && repeats >= 10) {
        EXPECT_GE(counts.right, 450);
      }
    }
  }
}

}  // namespace
}  // namespace kneepoint
