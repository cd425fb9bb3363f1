// SPDX-License-Identifier: Apache-2.0
//
// What a plan may say of a program, and what that comes to at a point and in the series' hash.
// Broken forms are in tests/golden/plans.
#include "orchestrator/plan/plan/parts.h"

#include "orchestrator/plan/plan/matrix.h"
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

Plan plan_with(const std::string& lines) {
  return plan_of(
      "study: demo\nscale: [1, 2]\nmodes: [strong]\nworkloads:\n  - name: app\n"
      "    command: [./app]\n    parameters: {order: [2, 4]}\n" +
      lines);
}

const std::string kTime = "    metrics: {time: {json: $.t, file: \"out-{K}-{order}.json\"}}\n";

TEST(ProgramReader, ReadsMetricsByJsonAndByFile) {
  const Plan plan = plan_with(
      "    metrics:\n      time: {pattern: \"t=([0-9]+)\", from: stderr, unit: ms}\n"
      "      rate: {json: \"runs[-1].rate\", file: out/rate.json, unit: GB/s, better: higher}\n");
  const auto& metrics = plan.workloads[0].metrics;
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].from + metrics[0].unit + metrics[0].better, "stderrmslower");
  EXPECT_EQ(metrics[1].from, "file");
  EXPECT_EQ(metrics[1].file, "out/rate.json");
  EXPECT_EQ(metrics[1].json, "runs[-1].rate");
  EXPECT_EQ(metrics[1].better, "higher");
}

TEST(ProgramReader, ReadsEveryKindOfSanityRule) {
  const Plan plan = plan_with(kTime +
                              "    sanity:\n"
                              "      - must_match: done\n"
                              "      - {must_not_match: NaN, from: stderr}\n"
                              "      - {must_match: ok, file: log.txt}\n"
                              "      - exit_codes: [0, 3]\n"
                              "      - {metric: time, at_least: 0.5, at_most: 2}\n"
                              "      - {metric: time, equals: -2, tolerance: 0.1%}\n");
  const auto& rules = plan.workloads[0].program.sanity;
  ASSERT_EQ(rules.size(), 6u);
  using Kind = SanityRule::Kind;
  EXPECT_EQ(rules[0].kind, Kind::must_match);
  EXPECT_EQ(rules[1].kind, Kind::must_not_match);
  EXPECT_EQ(rules[1].from, "stderr");
  EXPECT_EQ(rules[2].file, "log.txt");
  EXPECT_EQ(rules[3].exit_codes, std::vector<int>({0, 3}));
  EXPECT_EQ(*rules[4].at_least, 0.5);
  EXPECT_EQ(*rules[4].at_most, 2);
  EXPECT_EQ(*rules[5].equals, -2);
  EXPECT_TRUE(rules[5].relative);
  EXPECT_DOUBLE_EQ(rules[5].tolerance, 0.001);
}

TEST(ProgramReader, ARunHasAFolderOfItsOwnWhenFilesAreNamed) {
  const std::string by_stdout = "    metrics: {time: {json: t}}\n";
  const auto own = [&](const std::string& lines) {
    return plan_with(lines).workloads[0].program.own_folder;
  };
  EXPECT_FALSE(own(by_stdout));
  EXPECT_FALSE(own(by_stdout + "    sanity: {must_match: x}\n"));
  EXPECT_TRUE(own(by_stdout + "    sanity: {must_match: x, file: y}\n"));
  EXPECT_TRUE(own(by_stdout + "    keep: [a]\n"));
  EXPECT_TRUE(own(by_stdout + "    inputs: mesh\n"));
  EXPECT_TRUE(own(kTime));
}

TEST(ProgramReader, PlaceholdersInNamesOfFilesAreReplaced) {
  const Plan plan = plan_with(kTime + "    keep: [\"{mode}/{ranks}.log\"]\n" +
                              "    sanity: {must_match: x, file: \"{order}.txt\"}\n");
  const Study study = expand(plan, simulated_site(), {16, 64, 0}, "bin").study;
  const auto point = std::find_if(study.points.begin(), study.points.end(), [](const Point& one) {
    return one.k == 2 && one.parameters[0].value == "4";
  });
  ASSERT_NE(point, study.points.end());
  EXPECT_EQ(point->metrics[0].file, "out-2-4.json");
  EXPECT_EQ(point->program.keep[0], "strong/2.log");
  EXPECT_EQ(point->program.sanity[0].file, "4.txt");
}

TEST(ProgramReader, TheHashCoversWhatDecidesWhichRunsCountAndWhatTheyRead) {
  const auto hash = [](Plan plan, const std::string& content) {
    if (!content.empty()) {
      plan.workloads[0].program.staged = {{"mesh", "/p/mesh", content, 1, false, nullptr}};
    }
    return series_hash(plan, simulated_site());
  };
  const std::string plain = hash(plan_with(kTime), "");
  EXPECT_NE(plain, hash(plan_with("    metrics: {time: {json: $.t, file: a}}\n"), ""));
  const std::string rule = "    sanity: {metric: time, at_most: ";
  EXPECT_NE(plain, hash(plan_with(kTime + rule + "1}\n"), ""));
  EXPECT_NE(hash(plan_with(kTime + rule + "1}\n"), ""), hash(plan_with(kTime + rule + "2}\n"), ""));
  EXPECT_NE(plain, hash(plan_with(kTime), "aa"));
  EXPECT_NE(hash(plan_with(kTime), "aa"), hash(plan_with(kTime), "bb"));
  EXPECT_EQ(plain, hash(plan_with(kTime + "    keep: [a.log]\n"), ""));
}

TEST(ProgramReader, NoiseHasLimitsOnlyWhereThePlanGivesThem) {
  const std::string rest = "study: d\nscale: [1]\nworkloads: [{name: w, use: jacobi3d, size: 8}]\n";
  EXPECT_EQ(plan_of(rest).noise.sample_ns, 0);
  const NoiseSpec noise =
      plan_of(rest + "noise: {sample: 2s, limit: {steal: 2%, others: 0.2}, repeat: 3}\n").noise;
  EXPECT_EQ(noise.sample_ns, 2 * kSecond);
  EXPECT_EQ(*noise.steal, 0.02);
  EXPECT_EQ(*noise.others, 0.2);
  EXPECT_FALSE(noise.clock_drop || noise.throttle);
  EXPECT_EQ(noise.repeat, 3);
}

TEST(ProgramReader, PathsThatLeaveAFolderAreKnown) {
  for (const char* good : {"a", "a/b.json", "out/*.log", ".hidden"}) EXPECT_TRUE(is_inside(good));
  for (const char* bad : {"", "/a", "..", "../a", "a/..", "a//b", "a/", "./a", "a\nb"}) {
    EXPECT_FALSE(is_inside(bad)) << bad;
  }
}

}  // namespace
}  // namespace kneepoint
