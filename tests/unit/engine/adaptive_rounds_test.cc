// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/engine/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kneepoint {
namespace {

double amdahl(int k) {
  return 0.02 + 0.98 / k;
}

Study searching(std::vector<Mode> modes = {Mode::strong}) {
  Study study;
  study.plan.search.adaptive = true;
  study.plan.seed = 3;
  for (const Mode mode : modes) {
    for (const int k : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}) {
      Point p;
      p.build = "default";
      p.case_name = "solver";
      p.mode = mode;
      p.k = k;
      p.shape.nodes = k;
      p.shape.ranks = k;
      p.modelled_seconds = 100 * (mode == Mode::strong ? amdahl(k) : 1);
      study.points.push_back(p);
    }
  }
  return study;
}

// The runs of the round are over, each as its model has it; `failing` K have no time.
void carry_out(const Study& study, const std::vector<Run>& runs, StudyEvidence& evidence,
               int failing = 0) {
  for (const Run& run : runs) {
    const Point& point = study.points[run.point];
    auto at = std::find_if(evidence.points.begin(), evidence.points.end(),
                           [&](const auto& one) { return one.point.key() == point.key(); });
    if (at == evidence.points.end()) {
      evidence.points.push_back({point, {}, {}});
      at = evidence.points.end() - 1;
    }
    RunEvidence done;
    done.repeat = run.repeat;
    done.finished = true;
    done.state = point.k == failing ? AttemptState::failed : AttemptState::succeeded;
    done.seconds = point.k == failing ? 0 : point.modelled_seconds;
    at->runs.push_back(done);
  }
}

TEST(AdaptiveRounds, RoundZeroIsAFewDoublingsAndSaysSo) {
  const Round first = first_of(searching());
  EXPECT_EQ(first.runs.size(), 6U);
  EXPECT_EQ(first.evidence_hash, "");
  ASSERT_EQ(first.reasons.size(), 1U);
  EXPECT_EQ(first.reasons[0], "K=1 x 2, K=2 x 2, K=4 x 2: coarse doubling from K=1");
}

TEST(AdaptiveRounds, TellTheirReasonAndWhatWasSpent) {
  const Study study = searching();
  StudyEvidence evidence;
  std::vector<std::string> story;
  for (int number = 0; number < 20; ++number) {
    const Round round = search_round(study, evidence, number);
    story.insert(story.end(), round.reasons.begin(), round.reasons.end());
    if (round.runs.empty()) {
      EXPECT_EQ(round.left_out,
                "The search was adaptive: it measured where that narrows the knee by efficiency, "
                "not every K of the scale alike. Left out K=3, 6, 12, 48, 64, 96, 128; fewer than "
                "5 runs at K=2, 4, 8, 32. It ended since the knee is at K=22.4 [22.4, 22.4]: "
                "within 10%. It spent about 25% of the full grid's node-hours.");
      break;
    }
    carry_out(study, round.runs, evidence);
  }
  EXPECT_EQ(story[4],
            "K=24 x 2: narrows the knee between 16 and 32; spent about 13% of the full grid's "
            "node-hours");
  EXPECT_EQ(story.back(),
            "the knee is at K=22.4 [22.4, 22.4]: within 10%; spent about 25% of the full grid's "
            "node-hours");
}

TEST(AdaptiveRounds, NeitherKillsNorTheOrderOfArrivalChangeThem) {
  const Study study = searching({Mode::strong, Mode::weak});
  StudyEvidence evidence;
  for (int number = 0; number < 3; ++number) {
    carry_out(study, search_round(study, evidence, number).runs, evidence);
  }
  StudyEvidence otherwise = evidence;
  std::reverse(otherwise.points.begin(), otherwise.points.end());
  const Round a = search_round(study, evidence, 3), b = search_round(study, otherwise, 3);
  EXPECT_EQ(a.reasons, b.reasons);
  ASSERT_EQ(a.runs.size(), b.runs.size());
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    EXPECT_EQ(a.runs[i].point, b.runs[i].point);
    EXPECT_EQ(a.runs[i].repeat, b.runs[i].repeat);
  }
}

TEST(AdaptiveRounds, EveryCurveIsSearchedForItself) {
  const Study study = searching({Mode::strong, Mode::weak});
  const Round first = first_of(study);
  ASSERT_EQ(first.reasons.size(), 2U);
  EXPECT_EQ(first.reasons[1], "solver weak: K=1 x 2, K=2 x 2, K=4 x 2: coarse doubling from K=1");
  StudyEvidence evidence;
  std::set<int> weak;
  for (int number = 0; number < 20; ++number) {
    const Round round = search_round(study, evidence, number);
    carry_out(study, round.runs, evidence);
    if (round.runs.empty()) break;
  }
  for (const PointEvidence& point : evidence.points) {
    if (point.point.mode == Mode::weak) weak.insert(point.point.k);
  }
  EXPECT_TRUE(weak.contains(128));  // efficiency is 1 throughout: as far as the scale goes
}

TEST(AdaptiveRounds, AKThatFailsEndsTheWayUp) {
  const Study study = searching();
  StudyEvidence evidence;
  Round round;
  for (int number = 0; number < 20; ++number) {
    round = search_round(study, evidence, number);
    if (round.runs.empty()) break;
    carry_out(study, round.runs, evidence, 16);
  }
  EXPECT_NE(round.reasons[0].find("K=16 has no valid time"), std::string::npos) << round.reasons[0];
}

TEST(AdaptiveRounds, RunsAreNeverAskedForTwice) {
  const Study study = searching();
  StudyEvidence evidence;
  std::set<std::pair<int, int>> seen;
  for (int number = 0; number < 20; ++number) {
    const Round round = search_round(study, evidence, number);
    for (const auto& run : round.runs) {
      EXPECT_TRUE(seen.insert({run.point, run.repeat}).second);
      EXPECT_LT(run.repeat, study.plan.repeat.max);
    }
    carry_out(study, round.runs, evidence);
  }
  EXPECT_FALSE(next_round(study, evidence, 20).has_value());
}

TEST(AdaptiveRounds, AForecastNeedsModels) {
  Study study = searching();
  const auto played = forecast(study);
  ASSERT_TRUE(played.has_value());
  EXPECT_GT(played->rounds, 4);
  EXPECT_LT(played->node_seconds, 0.3 * played->grid_node_seconds);
  study.points[3].modelled_seconds = 0;
  EXPECT_FALSE(forecast(study).has_value());
}

}  // namespace
}  // namespace kneepoint
