// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/predict.h"

#include <gtest/gtest.h>

#include <sstream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

PredictAnswer answer(std::vector<double> s, std::vector<double> c, int to,
                     Mode mode = Mode::strong) {
  return predict({std::move(s), std::move(c), mode, to}).value();
}

const PredictedPoint& at(const LawPrediction& one, int k) {
  for (const PredictedPoint& p : one.points) {
    if (p.k == k) return p;
  }
  ADD_FAILURE() << "no K=" << k;
  return one.points.front();
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(Predict, AmdahlWithFivePercentSerial) {
  const LawPrediction one = answer({0.05}, {0}, 512).predictions.at(0);
  ASSERT_EQ(one.points.size(), 10U);
  EXPECT_EQ(at(one, 1).time, 1);
  EXPECT_NEAR(at(one, 512).speedup, 19.2844, 5e-5);
  EXPECT_NEAR(at(one, 512).efficiency, 0.0377, 5e-5);
  EXPECT_NEAR(*at(one, 512).ceiling_reached, 0.9642, 5e-5);
  EXPECT_NEAR(*at(one, 512).largest_serial, 0.25 / 511, 1e-12);
  EXPECT_DOUBLE_EQ(*one.ceiling, 20);
  EXPECT_FALSE(one.fastest) << "T falls for ever";
}

TEST(Predict, AmdahlWithALogarithmHasAFastestK) {
  const LawPrediction one = answer({0.05}, {0.01}, 128).predictions.at(0);
  EXPECT_NEAR(at(one, 64).speedup, 8.010, 5e-4);
  EXPECT_NEAR(at(one, 128).speedup, 7.848, 5e-4);
  ASSERT_TRUE(one.fastest);
  EXPECT_NEAR(one.fastest->at.k, 65.849, 5e-4);
  EXPECT_EQ(one.fastest->at.k_integer, 66);
  EXPECT_EQ(one.fastest->at.k_power_of_two, 64);
  EXPECT_NEAR(one.fastest->speedup, 8.011, 1e-3);
  EXPECT_FALSE(at(one, 128).largest_serial) << "communication alone is too much";
}

TEST(Predict, WeakScalingHasNoCeilingAndNoFastestK) {
  const LawPrediction one = answer({0.05}, {0.01}, 128, Mode::weak).predictions.at(0);
  EXPECT_NEAR(at(one, 128).efficiency, 0.935, 5e-4);
  EXPECT_NEAR(at(one, 128).speedup, 128 / 1.07, 1e-9);
  EXPECT_NEAR(*at(one, 128).scaled_speedup, (0.05 + 0.95 * 128) / 1.07, 1e-9);
  EXPECT_FALSE(one.ceiling);
  EXPECT_FALSE(one.fastest);
  EXPECT_FALSE(at(one, 128).largest_serial) << "a weak curve says nothing about s";
}

TEST(Predict, ShowsPowersOfTwoAndTheLastKOnce) {
  const auto ks = [](int to) {
    std::vector<int> out;
    const LawPrediction one = answer({0.1}, {0}, to).predictions.at(0);
    for (const PredictedPoint& p : one.points) out.push_back(p.k);
    return out;
  };
  EXPECT_EQ(ks(1), (std::vector{1}));
  EXPECT_EQ(ks(8), (std::vector{1, 2, 4, 8}));
  EXPECT_EQ(ks(11), (std::vector{1, 2, 4, 8, 11}));
  EXPECT_EQ(ks(1048576).size(), 21U);
  EXPECT_EQ(ks(2147483647).size(), 32U);
}

TEST(Predict, EveryFloorIsHeldAtItsLastKAndMissedAtTheNext) {
  for (const double s : {0.0, 0.001, 0.05, 0.25, 1.0}) {
    for (const double c : {0.0, 0.0001, 0.01, 2.0}) {
      for (const Mode mode : {Mode::strong, Mode::weak}) {
        const LawPrediction one = answer({s}, {c}, 100000, mode).predictions.at(0);
        for (const FloorReach& reach : one.reach) {
          const auto efficiency = [&](int k) {
            return answer({s}, {c}, k, mode).predictions.at(0).points.back().efficiency;
          };
          EXPECT_GE(efficiency(reach.k), reach.floor - 1e-9) << s << " " << c;
          if (reach.beyond) {
            EXPECT_EQ(reach.k, 100000);
          } else {
            EXPECT_LT(efficiency(reach.k + 1), reach.floor) << s << " " << c;
          }
        }
      }
    }
  }
  // 1 + s(K-1) = 1.25 at K=6: exactly on the floor.
  EXPECT_EQ(answer({0.05}, {0}, 512).predictions.at(0).reach[0].k, 6);
  EXPECT_EQ(answer({0.05}, {0}, 512).predictions.at(0).reach[1].k, 21);
}

TEST(Predict, EverySWithEveryC) {
  const auto all = answer({0.01, 0.05}, {0.005, 0.02}, 4).predictions;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].law.serial, 0.01);
  EXPECT_EQ(all[1].law.log_coefficient, 0.02);
  EXPECT_EQ(all[2].law.serial, 0.05);
}

TEST(Predict, RefusesWhatTheLawsRefuse) {
  EXPECT_FALSE(predict({{1.5}, {0}, Mode::strong, 8}));
  EXPECT_FALSE(predict({{0.5}, {-1}, Mode::strong, 8}));
  EXPECT_FALSE(predict({{0.5}, {0}, Mode::strong, 0}));
}

TEST(PredictText, SaysItInWordsBeforeTheNumbers) {
  const std::string text = to_text(answer({0.05}, {0, 0.01}, 512), 1000);
  EXPECT_EQ(
      text.rfind("s=0.05, c=0: at K=512 it is 19.28 times as fast (E=0.0377), 96.4% of the ceiling "
                 "of 20; every further worker makes it faster; E is 0.8 or more up to K=6, "
                 "0.5 or more up to K=21.\n"
                 "s=0.05, c=0.01: at K=512 it is 7.049 times as fast (E=0.0138), 35.2% of the "
                 "ceiling of 20; fastest at K=66 (S=8.01), slower after it; ",
                 0),
      0U)
      << text;
  expect_in(text, "512  0.0519  19.284  0.0377   96.4%           0.000489\n");
}

TEST(PredictText, WeakSaysHowMuchLongerTheLargerProblemTakes) {
  const std::string text = to_text(answer({0.05}, {0.01}, 128, Mode::weak), 1000);
  expect_in(text,
            "s=0.05, c=0.01: at K=128 a problem 128 times as large takes 1.07 times as long "
            "(E=0.935); E stays at 0.8 or above up to K=128.\n");
  EXPECT_EQ(text.find("1/s"), std::string::npos) << text;
}

TEST(PredictText, SaysWhenTheFastestKLiesBeyondOrAtOne) {
  expect_in(to_text(answer({0.05}, {0.01}, 32), 1000), "which lies beyond this table");
  expect_in(to_text(answer({1}, {0.01}, 32), 1000), "no K is faster than one worker");
  expect_in(to_text(answer({0}, {0}, 32), 1000), "at K=32 it is 32 times as fast (E=1); every");
}

TEST(PredictText, FitsAHundredColumnsUpToTheLargestK) {
  for (const Mode mode : {Mode::strong, Mode::weak}) {
    std::istringstream lines(
        to_text(answer({0, 0.000001, 0.123456, 1}, {0, 0.000123, 1000}, 1048576, mode), 100));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100) << line;
  }
}

TEST(PredictJson, HoldsTheSameNumbersAndNullWhereThereIsNone) {
  const std::string text = json_text(answer({0.5}, {0}, 2));
  EXPECT_EQ(
      text,
      R"({"mode":"strong","to":2,"predictions":[{"serial":0.5,"log_coefficient":0,)"
      R"("ceiling":2,"fastest":null,"floors":[{"floor":0.8,"k":1,"beyond":false},)"
      R"({"floor":0.5,"k":2,"beyond":true}],"points":[{"k":1,"time":1,"speedup":1,)"
      R"("efficiency":1,"scaled_speedup":null,"ceiling_reached":0.5,"largest_serial":1},)"
      R"({"k":2,"time":0.75,"speedup":1.3333333333333333,"efficiency":0.6666666666666666,)"
      R"("scaled_speedup":null,"ceiling_reached":0.6666666666666666,"largest_serial":0.25}]}]})");
}

}  // namespace
}  // namespace kneepoint
