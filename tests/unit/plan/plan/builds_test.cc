// SPDX-License-Identifier: Apache-2.0
//
// Points of two builds, the order of their runs, and what makes such a study another one.
#include "orchestrator/plan/plan/builds.h"

#include <algorithm>
#include <map>

#include "orchestrator/plan/plan/matrix.h"
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

constexpr char kCommand[] =
    "study: demo\nmodes: strong\nscale: [1, 2, 4]\nrepeat: 4\n"
    "workloads: [{name: app, command: [\"{build}\", \"--k={K}\"], metrics: {time: {pattern: "
    "\"t=([0-9.]+)\"}}}]\n";

std::vector<Build> two(Build::Kind kind = Build::Kind::file) {
  return {{"old", "", kind, "/builds/1/app", "11"}, {"new", "", kind, "/builds/2/app", "22"}};
}

Plan plan_with(const std::string& text, std::vector<Build> builds) {
  Plan plan = plan_of(text);
  plan.builds = std::move(builds);
  return plan;
}

Study study_with(const std::string& text, std::vector<Build> builds) {
  return expand(plan_with(text, std::move(builds)), simulated_site(), {16, 64, 0}, "bin").study;
}

TEST(Builds, EveryPointIsThereOncePerBuild) {
  const Study study = study_with(kCommand, two());
  ASSERT_EQ(study.points.size(), 6U);
  for (int i = 0; i < 3; ++i) {
    const Point &a = study.points[i], &b = study.points[i + 3];
    EXPECT_EQ(a.build, "old");
    EXPECT_EQ(b.build, "new");
    EXPECT_EQ(a.key_without_build(), b.key_without_build());
    EXPECT_EQ(a.command.argv.front(), "/builds/1/app");
    EXPECT_EQ(b.command.argv.front(), "/builds/2/app");
    EXPECT_EQ(b.binary.hash, "22");
  }
  EXPECT_EQ(partners(study), (std::vector<int>{3, 4, 5, 0, 1, 2}));
}

TEST(Builds, OurOwnWorkloadsAreStartedFromTheBuild) {
  const std::string text =
      "study: demo\nmodes: strong\nscale: [1]\nworkloads: [{name: j, use: jacobi3d}]\n";
  EXPECT_EQ(study_with(text, two()).points[1].command.argv.front(), "/builds/2/app");
  EXPECT_EQ(study_with(text, two(Build::Kind::folder)).points[1].command.argv.front(),
            "/builds/2/app/kp-jacobi3d");
  EXPECT_EQ(study_with(text, two(Build::Kind::image)).points[1].command.argv.front(),
            "bin/kp-jacobi3d")
      << "where the image has it";
  EXPECT_EQ(files_of_build(plan_with(text, two()), two(Build::Kind::folder)[0]),
            (std::vector<std::string>{"/builds/1/app", "/builds/1/app/kp-jacobi3d"}));
}

TEST(Builds, ABuildMayBeOfOneWorkloadOnly) {
  std::vector<Build> builds = two();
  builds.push_back({"old", "app", Build::Kind::file, "/own", "33"});
  const std::vector<Build> own = builds_of(plan_with(kCommand, builds), "app");
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[0].place, "/own");
  EXPECT_EQ(builds_of(plan_with(kCommand, builds), "other")[0].place, "/builds/1/app");
}

TEST(Builds, TheTwoOfAPairFollowEachOtherAndTakeTurnsInBeingFirst) {
  const Study study = study_with(kCommand, two());
  const std::vector<kneepoint::Run> runs = first_round(study);
  ASSERT_EQ(runs.size(), 6U * 4U);
  const std::vector<int> others = partners(study);
  std::map<int, std::vector<bool>> reference_first;  // by point of the reference
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    EXPECT_EQ(others[runs[i].point], runs[i + 1].point);
    EXPECT_EQ(runs[i].repeat, runs[i + 1].repeat);
    EXPECT_EQ(runs[i].repeat, static_cast<int>(i / 6)) << "every repeat holds every pair once";
    reference_first[std::min(runs[i].point, runs[i + 1].point)].push_back(runs[i].point < 3);
  }
  ASSERT_EQ(reference_first.size(), 3U);
  for (const auto& [point, firsts] : reference_first) {
    for (std::size_t i = 1; i < firsts.size(); ++i) EXPECT_NE(firsts[i], firsts[i - 1]) << point;
  }
  EXPECT_NE(reference_first[0][0], reference_first[1][0]) << "not all pairs the same way round";
}

TEST(Builds, APointMayHaveItsOwnNumberOfRuns) {
  Study study = study_with(kCommand, two());
  for (Point& point : study.points) point.repeats = point.k == 1 ? 10 : 5;
  std::map<int, int> runs;
  for (const kneepoint::Run& run : first_round(study)) ++runs[run.point];
  EXPECT_EQ(runs, (std::map<int, int>{{0, 10}, {1, 5}, {2, 5}, {3, 10}, {4, 5}, {5, 5}}));
}

TEST(Builds, LabelPlaceAndContentMakeAnotherSeries) {
  const auto hash = [](const std::vector<Build>& builds) {
    return series_hash(plan_with(kCommand, builds), simulated_site());
  };
  const std::string plain = hash({}), both = hash(two());
  EXPECT_NE(plain, both);
  std::vector<Build> changed = two();
  changed[1].hash = "23";
  EXPECT_NE(hash(changed), both);
  changed = two();
  std::swap(changed[0], changed[1]);
  EXPECT_NE(hash(changed), both) << "the reference is the first";
  changed = two();
  changed[0].label = "before";
  EXPECT_NE(hash(changed), both);
  changed = two();
  changed[0].place = "/elsewhere";
  EXPECT_NE(hash(changed), both);
  Plan confirming = plan_with(kCommand, two());
  confirming.confirms = "nightly-1a2b3c4d-7";
  EXPECT_NE(series_hash(confirming, simulated_site()), both);
}

TEST(Builds, APlanThatCannotBeRunSoIsRefusedWithTheKey) {
  const auto refusal = [](const std::string& text, std::vector<Build> builds) {
    const auto problems = check_builds(plan_with(text, std::move(builds)));
    return problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
  };
  const std::string head = "study: demo\nmodes: strong\nscale: [1]\n";
  EXPECT_EQ(refusal(kCommand, two()), "");
  EXPECT_EQ(refusal(kCommand, {}),
            "workloads[0].command: {build} has no value; name the two builds: --ab old=PATH --ab "
            "new=PATH");
  const std::string without =
      head +
      "workloads: [{name: app, command: [app], metrics: {time: {pattern: \"t=([0-9.]+)\"}}}]\n";
  EXPECT_NE(refusal(without, two()).find("workloads[0].command: --ab needs {build}"),
            std::string::npos);
  EXPECT_EQ(refusal(without, two(Build::Kind::image)), "") << "the image is the build";
  EXPECT_EQ(refusal(head + "environment: {APP: \"{build}\"}\n"
                           "workloads: [{name: app, command: [app], metrics: {time: {pattern: "
                           "\"t=([0-9.]+)\"}}}]\n",
                    two()),
            "");
  EXPECT_NE(refusal(head + "workloads: [{name: app, build: x, command: [\"{build}\"], metrics: "
                           "{time: {pattern: \"t=([0-9.]+)\"}}}]\n",
                    two())
                .find("workloads[0].build: 'x'"),
            std::string::npos);
  const std::string several =
      head + "workloads: [{name: j, use: jacobi3d}, {name: s, use: synthetic}]\n";
  EXPECT_NE(refusal(several, two()).find("workloads: they use 2 programs"), std::string::npos);
  EXPECT_EQ(refusal(several, two(Build::Kind::folder)), "");
  EXPECT_NE(refusal("study: demo\nmodes: strong\nscale: [1, 2, 4]\nsearch: {knee: adaptive}\n"
                    "workloads: [{name: app, command: [\"{build}\"], metrics: {time: {pattern: "
                    "\"t=([0-9.]+)\"}}}]\n",
                    two())
                .find("search: "),
            std::string::npos);
}

}  // namespace
}  // namespace kneepoint
