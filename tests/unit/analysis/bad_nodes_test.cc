// SPDX-License-Identifier: Apache-2.0
//
// Seeded simulations: how often an innocent node is named, how often a guilty one is found.
#include "orchestrator/analysis/bad_nodes.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/placement_simulation.h"

namespace kneepoint {
namespace {

RunEvidence run_on(const std::string& hosts, double seconds) {
  RunEvidence run;
  run.state = AttemptState::succeeded;
  run.hosts = hosts;
  run.seconds = seconds;
  return run;
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
    point.runs.push_back(run_on(i % 2 == 0 ? "a,b" : "c,d", (i % 2 == 0 ? 2.0 : 1.0) + 0.001 * i));
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
    point.runs.push_back(run_on("a,b", 1 + i));
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

TEST(BadNodes, TheQueuesListOfNodesIsUnfoldedAndCountsMoreThanWhatARunCallsItsHost) {
  StudyEvidence evidence;
  PointEvidence& point = evidence.points.emplace_back();
  for (int i = 0; i < 12; ++i) {
    point.runs.push_back(run_on("localhost", (i % 3 == 1 ? 1.0 : 2.0) + 0.001 * i));
    point.runs.back().nodes = i % 3 == 0 ? "n[1-2]" : i % 3 == 1 ? "n[01,3]" : "n[2-3]";
  }
  const BadNodeVerdict verdict = find_bad_nodes(evidence);
  EXPECT_EQ(verdict.nodes, 4);  // n1 and n01 are two
  ASSERT_EQ(verdict.bad.size(), 1U) << to_sentence(verdict);
  EXPECT_EQ(verdict.bad[0].node, "n2");
}

TEST(BadNodes, NodesOfAnotherKindAreComparedAmongThemselves) {
  StudyEvidence evidence;
  PointEvidence& point = evidence.points.emplace_back();
  for (int i = 0; i < 40; ++i) {
    const bool old = i % 4 == 0;
    point.runs.push_back(run_on(old ? "old" + std::to_string(i % 3) : "new" + std::to_string(i % 5),
                                (old ? 2.0 : 1.0) + 0.01 * ((i * 7) % 11)));
    point.runs.back().provenance = old ? "cpu.model=old" : "cpu.model=new";
  }
  const BadNodeVerdict verdict = find_bad_nodes(evidence);
  EXPECT_EQ(verdict.points, 2) << "one for each kind";
  EXPECT_TRUE(verdict.bad.empty()) << to_sentence(verdict);
  for (RunEvidence& run : point.runs) run.provenance = "";
  EXPECT_FALSE(find_bad_nodes(evidence).bad.empty()) << "or the test could not fail";
}

TEST(BadNodes, TooFewRunsToNameAnyNodeAreNotAnAcquittal) {
  StudyEvidence evidence;
  PointEvidence& point = evidence.points.emplace_back();
  for (int i = 0; i < 4; ++i) {
    point.runs.push_back(run_on(name(i), i == 2 ? 9 : 1 + 0.01 * i));
  }
  const BadNodeVerdict verdict = find_bad_nodes(evidence);
  EXPECT_TRUE(verdict.bad.empty());
  EXPECT_NE(verdict.why_not.find("too few runs"), std::string::npos) << verdict.why_not;
  EXPECT_GT(verdict.least_p, 0.9) << "some node is always the slowest of four";
  Cluster cluster;
  cluster.repeats = 10;
  EXPECT_LT(find_bad_nodes(simulate(cluster, 3)).least_p, 0.01);
}

TEST(BadNodes, TheSameEvidenceGivesTheSameVerdict) {
  Cluster cluster;
  cluster.bad = 1;
  const StudyEvidence evidence = simulate(cluster, 5);
  EXPECT_EQ(to_sentence(find_bad_nodes(evidence)), to_sentence(find_bad_nodes(evidence)));
}

}  // namespace
}  // namespace kneepoint
