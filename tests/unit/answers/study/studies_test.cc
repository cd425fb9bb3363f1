// SPDX-License-Identifier: Apache-2.0
//
// The questions about stored studies, asked of a database that two imported tables make.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "orchestrator/answers/study/audit.h"
#include "orchestrator/answers/study/compare.h"
#include "orchestrator/answers/study/explain.h"
#include "orchestrator/answers/study/import_table.h"
#include "orchestrator/answers/study/predict.h"
#include "orchestrator/answers/study/recommend.h"
#include "orchestrator/answers/study/report.h"
#include "tests/fakes/fake_clock.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

class StudyAnswers : public testing::Test {
 protected:
  // T = 100 (0.05 + 0.95/K) seconds times `scale`; `noises`: of each run at a K.
  static std::string table(double scale, const std::vector<double>& noises = {0.99, 1.0, 1.01}) {
    std::string text = "K,T\n";
    for (const int k : {1, 2, 4, 8, 16}) {
      for (const double noise : noises) {
        text += std::to_string(k) + "," + std::to_string(100 * scale * noise * (0.05 + 0.95 / k)) +
                "\n";
      }
    }
    return text;
  }

  Result<ImportAnswer> import(const std::string& study, const std::string& text) {
    ImportTableRequest request;
    request.path = "/somewhere/" + study + ".csv";
    request.bytes = text;
    request.case_name = "solver";
    return import_table(context_, request);
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  Context context_{clock_, [](const std::string&) { return std::nullopt; }, "/bin/kneepoint",
                   folder_.file("kp.db")};
};

TEST_F(StudyAnswers, ATableBecomesAStudyOnce) {
  const auto first = import("solver", table(1));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->created);
  EXPECT_EQ(first->runs, 15);
  ASSERT_EQ(first->curves.size(), 1U);
  EXPECT_NEAR(first->curves[0].points.back().efficiency, 1 / (1 + 0.05 * 15), 1e-6);
  const auto again = import("solver", table(1));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->study, first->study);
  const auto changed = import("solver", table(1.1));
  ASSERT_TRUE(changed);
  EXPECT_TRUE(changed->created);
  EXPECT_EQ(changed->before, first->study);
}

TEST_F(StudyAnswers, ATableWithAProblemWritesNothing) {
  const auto answer = import("solver", "K,T\n1,ten\n");
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->problems.empty());
  EXPECT_FALSE(std::filesystem::exists(context_.database));
}

TEST_F(StudyAnswers, ComparingTellsAtTheLargestKAboveTheFloor) {
  ASSERT_TRUE(import("a", table(1)));
  ASSERT_TRUE(import("b", table(0.8)));
  const auto answer = compare(context_, {.studies = {"a", "b"}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->any());
  ASSERT_EQ(answer->pairs.size(), 1U);
  const PricedComparison& curve = answer->pairs[0].curves.at(0);
  EXPECT_EQ(curve.telling_k, 8);  // E(8) = 0.74, E(16) = 0.57
  ASSERT_NE(curve.telling(), nullptr);
  EXPECT_NEAR(*curve.telling()->ratio, 0.8, 1e-6);
  EXPECT_EQ(curve.telling()->faster, Faster::b);
  ASSERT_TRUE(curve.telling()->below);
  EXPECT_NEAR(to_units(curve.telling()->below->below->micros), 1 / 0.8, 1e-4);
  EXPECT_FALSE(compare(context_, {.studies = {"a", "a"}}));
}

TEST_F(StudyAnswers, RecommendationNamesTheKOfItsCurve) {
  ASSERT_TRUE(import("a", table(1, {1.0})));
  StudyRecommendRequest request;
  request.wanted.objective = Objective::efficiency;
  const auto by_efficiency = recommend_study(context_, request);
  ASSERT_TRUE(by_efficiency) << by_efficiency.error().message;
  EXPECT_TRUE(by_efficiency->any());
  EXPECT_EQ(by_efficiency->request.floor, 0.7);  // the study's
  ASSERT_NE(by_efficiency->curves.at(0).choice.chosen, nullptr);
  EXPECT_EQ(by_efficiency->curves[0].choice.chosen->k, 8);
  request.wanted.objective = Objective::deadline;
  request.wanted.deadline_seconds = 1;
  const auto none = recommend_study(context_, request);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->any());
  request.case_name = "other";
  EXPECT_FALSE(recommend_study(context_, request));
}

TEST_F(StudyAnswers, ClaimsAreJudgedByFlagsOrByWhatAStudyHolds) {
  AuditRequest request;
  request.claim.points = {{.k = 256, .speedup = 180, .seconds = {}, .efficiency = {}}};
  const auto said = audit(context_, request);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->claims.at(0).title, "180x on 256");
  EXPECT_FALSE(said->contradicted());
  ASSERT_TRUE(import("a", table(1, {1.0})));
  request.subject = "a";
  request.floor = 0.5;
  const auto held = audit(context_, request);
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(held->claims.at(0).title, held->subject + ": solver, strong");
  EXPECT_EQ(held->floor, 0.5);
}

TEST_F(StudyAnswers, TheSameStudyIsExplainedPredictedAndReported) {
  ASSERT_TRUE(import("a", table(1, {1.0})));
  const auto story = explain(context_, "a/r2");
  ASSERT_TRUE(story) << story.error().message;
  EXPECT_EQ(story->found.point.k, 2);
  ASSERT_EQ(story->attempts.size(), 1U);
  EXPECT_EQ(story->attempts[0].name, "r2-a1");
  const auto prediction = predict_study(context_, {.to = {64}, .study = "a"});
  ASSERT_TRUE(prediction);
  EXPECT_TRUE(prediction->any());
  const auto report = report_study(context_, {"a", {}});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->prices);
  EXPECT_TRUE(report->costs.empty());
}

}  // namespace
}  // namespace kneepoint
