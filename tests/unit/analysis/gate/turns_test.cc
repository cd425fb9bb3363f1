// SPDX-License-Identifier: Apache-2.0
//
// What is measured in turns to settle a suspicion, and what is taken from it.
#include "orchestrator/analysis/gate/turns.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

std::vector<GateSeries> two_curves() {
  std::vector<GateSeries> series;
  for (const char* curve : {"a", "b"}) {
    for (const int k : {1, 2}) {
      GateSeries& one = series.emplace_back();
      one.curve = curve;
      one.k = k;
      one.key = std::string("default/") + curve + "/K=" + std::to_string(k);
    }
  }
  return series;
}

GateFinding slower(const std::string& name, bool whole_curve) {
  GateFinding finding;
  finding.name = name;
  finding.whole_curve = whole_curve;
  finding.slower = true;
  return finding;
}

std::vector<std::string> texts_of(const std::vector<TurnsWanted>& wanted) {
  std::vector<std::string> texts;
  for (const TurnsWanted& one : wanted) texts.push_back(one.key + " " + std::to_string(one.pairs));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(TurnsWanted, AreTenPairsAtASlowPointAndFiveAtEveryKOfASlowCurve) {
  GateAnswer answer;
  answer.verdict = Verdict::suspect;
  EXPECT_TRUE(turns_wanted(two_curves(), answer).empty());
  answer.points = {slower("default/a/K=2", false)};
  answer.curves = {slower("a", true)};
  EXPECT_EQ(texts_of(turns_wanted(two_curves(), answer)),
            (Texts{"default/a/K=1 5", "default/a/K=2 10"}));
}

TEST(TurnsWanted, AreWantedForDriftsMovedKneesAndPointsBehindTheBaseline) {
  GateAnswer answer;
  answer.drifts.push_back({.name = "a", .drifted = true});
  answer.knees.push_back({.name = "b", .octaves = -1, .shifted = true});
  EXPECT_EQ(turns_wanted(two_curves(), answer).size(), 4u);
  GateAnswer young;
  young.against_baseline.push_back({.name = "default/b/K=1", .slower = true});
  EXPECT_EQ(texts_of(turns_wanted(two_curves(), young)), Texts{"default/b/K=1 10"});
}

TEST(TurnsWanted, AreNoneForWhatFailedOrRanElsewhere) {
  GateAnswer answer;
  answer.curves = {slower("a", true)};
  for (const Verdict verdict : {Verdict::failed, Verdict::env_change}) {
    answer.verdict = verdict;
    EXPECT_TRUE(turns_wanted(two_curves(), answer).empty()) << to_string(verdict);
  }
}

TEST(WhyNoTurns, NamesTheFirstReasonThereIs) {
  GateAnswer answer;
  answer.verdict = Verdict::env_change;
  EXPECT_EQ(why_no_turns(answer, {}, std::nullopt), "ENV_CHANGE: there is nothing to confirm");
  answer.verdict = Verdict::pass;
  EXPECT_EQ(why_no_turns(answer, {}, std::nullopt), "nothing is suspect, so nothing was measured");
  answer.verdict = Verdict::suspect;
  const std::vector<TurnsWanted> wanted = {{"default/a/K=1", 5}};
  EXPECT_NE(why_no_turns(answer, wanted, std::nullopt).find("no build is pinned"),
            std::string::npos);
  Baseline baseline;
  EXPECT_NE(why_no_turns(answer, wanted, baseline), "") << "a baseline without a build";
  baseline.builds.emplace_back();
  EXPECT_EQ(why_no_turns(answer, wanted, baseline), "");
}

// A study of both builds at K = 1 and 2.
StudyEvidence measured_in_turns(const std::string& program) {
  EvidenceBuilder builder;
  for (const char* build : {kPinnedBuild, kTonightsBuild}) {
    for (const int k : {1, 2}) {
      PointEvidence& point = builder.add(Mode::strong, k, {1.0 / k, 1.1 / k});
      point.point.build = build;
      for (RunEvidence& run : point.runs) run.provenance = "mpi=x; program=" + program;
    }
  }
  return builder.study;
}

TEST(KeepWanted, LeavesTheWantedPointsWithTheirPairs) {
  std::vector<Point> points;
  for (const PointEvidence& one : measured_in_turns("p").points) points.push_back(one.point);
  Point night = points.back();
  night.build = "default";
  keep_wanted({{night.key(), 5}}, points);
  ASSERT_EQ(points.size(), 2u) << "of either build";
  for (const Point& point : points) {
    EXPECT_EQ(point.k, 2);
    EXPECT_EQ(point.repeats, 5);
  }
}

TEST(TurnsOf, HaveTheNamesOfTheNightsPoints) {
  const StudyEvidence measured = measured_in_turns("p");
  Point night = measured.points.front().point;
  night.build = "default";
  const auto turns = turns_of(measured, {{night.key(), 10}});
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[0].key, night.key());
  EXPECT_EQ(turns[0].baseline, (std::vector<double>{1.0, 1.1}));
  EXPECT_EQ(turns[0].candidate.size(), 2u);
}

TEST(OtherProgram, IsOneThatTheNightDidNotRun) {
  StudyEvidence night = measured_in_turns("p1");
  for (PointEvidence& point : night.points) point.point.build = "default";
  EXPECT_FALSE(is_other_program(night, measured_in_turns("p1")));
  EXPECT_TRUE(is_other_program(night, measured_in_turns("p2")));
  StudyEvidence unknown = measured_in_turns("p2");
  for (PointEvidence& point : unknown.points) {
    for (RunEvidence& run : point.runs) run.provenance = "mpi=x";
  }
  EXPECT_FALSE(is_other_program(night, unknown)) << "it was not recorded";
}

}  // namespace
}  // namespace kneepoint
