// SPDX-License-Identifier: Apache-2.0
//
// Seeded simulations: how often an innocent node is named, how often a guilty one is found.
#include "orchestrator/analysis/bad_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orchestrator/base/random.h"

namespace kneepoint {
namespace {

struct Cluster {
  int nodes = 16;
  std::vector<int> points = {1, 2, 4, 8};
  int repeats = 5;
  double noise = 0.02;
  int bad = -1;  // index of a node, -1: none
  double slowdown = 0.1;
};

std::string name(int node) {
  return "n" + std::to_string(node + 1);
}

// Each run is a job of its own on nodes drawn at random.
StudyEvidence simulate(const Cluster& cluster, std::uint64_t seed) {
  Random random(seed, "simulated placement");
  StudyEvidence evidence;
  for (const int k : cluster.points) {
    PointEvidence& point = evidence.points.emplace_back();
    point.point.k = k;
    for (int repeat = 0; repeat < cluster.repeats; ++repeat) {
      std::vector<int> all(static_cast<std::size_t>(cluster.nodes));
      std::iota(all.begin(), all.end(), 0);
      RunEvidence run;
      run.repeat = repeat;
      run.state = AttemptState::succeeded;
      run.seconds = 100.0 / k * std::exp(cluster.noise * random.normal());
      for (int i = 0; i < k; ++i) {
        const auto at = static_cast<std::size_t>(
            i + static_cast<int>(random.uniform() * (cluster.nodes - i)) % (cluster.nodes - i));
        std::swap(all[static_cast<std::size_t>(i)], all[at]);
        const int node = all[static_cast<std::size_t>(i)];
        run.hosts += (run.hosts.empty() ? "" : ",") + name(node);
        if (node == cluster.bad) run.seconds *= 1 + cluster.slowdown;
      }
      point.runs.push_back(run);
    }
  }
  return evidence;
}

BadNodeOptions quick() {
  BadNodeOptions options;
  options.permutations = 499;
  return options;
}

TEST(BadNodes, AnInnocentNodeIsRarelyNamed) {
  int alarms = 0;
  const int studies = 300;
  for (int i = 0; i < studies; ++i) {
    alarms += find_bad_nodes(simulate({}, 1000 + i), quick()).bad.empty() ? 0 : 1;
  }
  RecordProperty("alarms", alarms);
  // 5 % of 300 are 15; more than 27 would have a chance of 1 in 1000.
  EXPECT_LE(alarms, 27);
}

TEST(BadNodes, ANodeThatSlowsItsRunsByATenthIsFoundAndNamed) {
  Cluster cluster;
  cluster.bad = 6;
  cluster.repeats = 10;
  int found = 0, wrong = 0;
  for (int i = 0; i < 50; ++i) {
    const BadNodeVerdict verdict = find_bad_nodes(simulate(cluster, 2000 + i), quick());
    if (verdict.bad.empty()) continue;
    ++(verdict.bad[0].node == "n7" ? found : wrong);
  }
  RecordProperty("found", found);
  RecordProperty("wrong", wrong);
  EXPECT_GE(found, 40);
  EXPECT_LE(wrong, 3);
}

TEST(BadNodes, TheSlowdownIsMeasuredAgainstRunsOfTheSamePoint) {
  Cluster cluster;
  cluster.bad = 2;
  cluster.slowdown = 0.25;
  cluster.repeats = 12;
  cluster.noise = 0.01;
  const BadNodeVerdict verdict = find_bad_nodes(simulate(cluster, 7), quick());
  ASSERT_EQ(verdict.bad.size(), 1U) << to_sentence(verdict);
  EXPECT_EQ(verdict.bad[0].node, "n3");
  EXPECT_NEAR(verdict.bad[0].slowdown, 0.25, 0.03);
  EXPECT_EQ(verdict.bad[0].points_slower, verdict.bad[0].points);
  EXPECT_LE(verdict.bad[0].p_value, 0.05);
  EXPECT_NE(to_sentence(verdict).find("n3 slows the runs that hold it by 2"), std::string::npos)
      << to_sentence(verdict);
}

TEST(BadNodes, CompanionsOfABadNodeAreNotBlamedAfterIt) {
  Cluster cluster;
  cluster.bad = 0;
  cluster.slowdown = 0.5;
  cluster.repeats = 20;
  int extra = 0;
  for (int i = 0; i < 20; ++i) {
    const BadNodeVerdict verdict = find_bad_nodes(simulate(cluster, 300 + i), quick());
    ASSERT_FALSE(verdict.bad.empty());
    EXPECT_EQ(verdict.bad[0].node, "n1");
    extra += static_cast<int>(verdict.bad.size()) - 1;
  }
  EXPECT_LE(extra, 4);
}

TEST(BadNodes, NodesThatWereAlwaysTogetherCannotBeToldApartAndItSaysSo) {
  StudyEvidence evidence;
  PointEvidence& point = evidence.points.emplace_back();
  for (int i = 0; i < 12; ++i) {
    RunEvidence run;
    run.state = AttemptState::succeeded;
    run.hosts = i % 2 == 0 ? "a,b" : "c,d";
    run.seconds = (i % 2 == 0 ? 2.0 : 1.0) + 0.001 * i;
    point.runs.push_back(run);
  }
  const BadNodeVerdict verdict = find_bad_nodes(evidence);
  ASSERT_EQ(verdict.bad.size(), 1U);
  EXPECT_EQ(verdict.bad[0].node, "a");
  EXPECT_EQ(verdict.bad[0].inseparable, std::vector<std::string>{"b"});
  EXPECT_NE(to_sentence(verdict).find("or it is b"), std::string::npos) << to_sentence(verdict);
}

TEST(BadNodes, TheSameNodesInEveryRunSayNothing) {
  StudyEvidence evidence;
  PointEvidence& point = evidence.points.emplace_back();
  for (int i = 0; i < 10; ++i) {
    RunEvidence run;
    run.state = AttemptState::succeeded;
    run.hosts = "a,b";
    run.seconds = 1 + i;
    point.runs.push_back(run);
  }
  const BadNodeVerdict verdict = find_bad_nodes(evidence);
  EXPECT_NE(verdict.why_not.find("the same nodes"), std::string::npos);
  EXPECT_TRUE(verdict.bad.empty());
  EXPECT_FALSE(find_bad_nodes({}).why_not.empty());
}

TEST(BadNodes, RunsThatFailedOrHaveNoNodesAreLeftOut) {
  Cluster cluster;
  cluster.bad = 6;
  cluster.repeats = 12;
  StudyEvidence evidence = simulate(cluster, 11);
  const BadNodeVerdict before = find_bad_nodes(evidence, quick());
  for (PointEvidence& point : evidence.points) {
    RunEvidence failed = point.runs.front();
    failed.state = AttemptState::failed;
    failed.seconds = 1e6;
    point.runs.push_back(failed);
    RunEvidence nowhere = point.runs.front();
    nowhere.hosts = "";
    point.runs.push_back(nowhere);
  }
  const BadNodeVerdict after = find_bad_nodes(evidence, quick());
  EXPECT_EQ(before.runs, after.runs);
  ASSERT_EQ(before.bad.size(), after.bad.size());
  if (!before.bad.empty()) {
    EXPECT_EQ(before.bad[0].p_value, after.bad[0].p_value);
  }
}

TEST(BadNodes, TheSameEvidenceGivesTheSameVerdict) {
  Cluster cluster;
  cluster.bad = 1;
  const StudyEvidence evidence = simulate(cluster, 5);
  EXPECT_EQ(to_sentence(find_bad_nodes(evidence)), to_sentence(find_bad_nodes(evidence)));
}

}  // namespace
}  // namespace kneepoint
