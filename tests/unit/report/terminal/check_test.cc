// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/report/terminal/operating.h"

#include <gtest/gtest.h>

#include "orchestrator/answers/loading.h"

namespace kneepoint {
namespace {

Study example_study() {
  Study study;
  study.plan.study = "jacobi";
  study.plan.seed = 7;
  study.plan.repeat = {5, 20, 0.02};
  study.plan.limits.timeout = kMinute;
  study.hash8 = "1a2b3c4d";
  for (const Mode mode : {Mode::strong, Mode::weak}) {
    for (const int k : {1, 4}) {
      Point p;
      p.build = "default";
      p.workload = p.case_name = "jacobi";
      p.mode = mode;
      p.k = k;
      p.shape.ranks = p.shape.ranks_per_node = k;
      p.has_size = true;
      p.size = mode == Mode::strong ? 512 : 256 * k;
      p.held_fixed = mode == Mode::strong ? "the global grid" : "the grid of a rank";
      p.modelled_seconds = 36;
      study.points.push_back(p);
    }
  }
  return study;
}

TEST(CheckText, ShowsTheMatrixTheSubmissionAndTheEstimate) {
  const Study study = example_study();
  const Site site;
  CheckAnswer answer{study, site, {1, 2, 0}};
  answer.warnings = {"only 2 values of K"};
  EXPECT_EQ(
      to_text(answer),
      "Study jacobi (series jacobi-1a2b3c4d, seed 7) on site local (backend local: 1 node "
      "with 2 cores). K counts ranks.\n"
      "\n"
      "jacobi, strong; held fixed: the global grid\n"
      "  K  nodes  ranks  threads  size   runs\n"
      "  1      1      1        1   512  5..20\n"
      "  4      1      4        1   512  5..20\n"
      "\n"
      "jacobi, weak; held fixed: the grid of a rank\n"
      "  K  nodes  ranks  threads  size   runs\n"
      "  1      1      1        1   256  5..20\n"
      "  4      1      4        1  1024  5..20\n"
      "\n"
      "Would submit 20 allocations (up to 80 while efficiency is too uncertain), at most 1 "
      "at a time; the largest: 1 node, 4 ranks, 4 cores.\n"
      "Estimate: 0.2 node-hours by the workloads' models (20 runs, one after the other 12 min "
      "00 s; start-up not counted).\n"
      "With all repeats: 0.8 node-hours by the workloads' models (80 runs, one after the "
      "other 48 min 00 s; start-up not counted).\n"
      "Warning: only 2 values of K\n");
}

TEST(CheckText, JsonHasEveryPointOnce) {
  const Study study = example_study();
  const Site site;
  const std::string json = to_json(CheckAnswer{study, site, {1, 2, 0}});
  EXPECT_NE(json.find(R"("series":"jacobi-1a2b3c4d","seed":7)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("mode":"weak","k":4,"nodes":1,"ranks":4)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("allocations":20,"allocations_at_most":80)"), std::string::npos) << json;
  EXPECT_EQ(json.back(), '\n');
  EXPECT_EQ(json.find('\n'), json.size() - 1);
}

TEST(CheckText, PointsThatExceedTheCoresAreRefusedByName) {
  Study study = example_study();
  Capabilities local;
  local.shares_cores = true;
  local.cores_per_node = 2;
  const auto refused = refusals(study, {}, local);
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused.front(),
            "jacobi strong K=4 needs 4 cores (4 ranks x 1 thread), this machine has 2");
  study.plan.limits.oversubscribe = true;
  EXPECT_TRUE(refusals(study, {}, local).empty());
  study.plan.limits.oversubscribe = false;
  for (Point& point : study.points) point.emulated = true;
  EXPECT_TRUE(refusals(study, {}, local).empty());
}

TEST(CheckText, PointsThatExceedTheNodeLimitAreRefusedByName) {
  Study study = example_study();
  for (Point& point : study.points) point.shape.nodes = point.k;
  Capabilities cluster;
  cluster.nodes = 64;
  EXPECT_TRUE(refusals(study, {}, cluster).empty());
  study.plan.limits.nodes = 3;
  ASSERT_EQ(refusals(study, {.nodes = 8}, cluster).size(), 2U);
  EXPECT_EQ(refusals(study, {.nodes = 8}, cluster).front(),
            "jacobi strong K=4 needs 4 nodes, limits.nodes of the plan allows 3");
  study.plan.limits.nodes = 0;
  EXPECT_EQ(refusals(study, {.nodes = 2}, cluster).front(),
            "jacobi strong K=4 needs 4 nodes, limits.nodes of the site allows 2");
}

TEST(CheckText, ManyRefusalsAreCutShort) {
  const Study study = example_study();
  const Site site;
  CheckAnswer answer{study, site, {1, 2, 0}};
  for (int i = 0; i < 160; ++i) answer.refusals.push_back("point " + std::to_string(i));
  const std::string text = to_text(answer);
  EXPECT_NE(text.find("  point 7\n  and 152 more\nLower `scale`, "), std::string::npos) << text;
}

TEST(CheckText, AnEmulatedPointTakesNoCore) {
  Study study = example_study();
  for (Point& point : study.points) point.emulated = true;
  const Site site;
  const CheckAnswer answer{study, site, {1, 2, 0}};
  EXPECT_NE(to_text(answer).find("the largest: 1 node, 4 ranks, no core (emulated)."),
            std::string::npos);
  EXPECT_NE(to_json(answer).find(R"("largest_cores":0)"), std::string::npos);
}

TEST(CheckText, WhatEveryShapeIsToldAlikeIsSaidOnce) {
  using Sentences = std::vector<std::string>;
  const Rehearsal one{"K=1 (1n x 1r x 1t)", "sbatch: Invalid account", true};
  Rehearsal two{"K=2 (2n x 1r x 1t)", "sbatch: Invalid account", true};
  EXPECT_EQ(sentences_of({one}),
            Sentences{"K=1 (1n x 1r x 1t) would be refused: sbatch: Invalid account"});
  EXPECT_EQ(sentences_of({one, two}),
            Sentences{"every shape: would be refused: sbatch: Invalid account"});
  two = {"K=2 (2n x 1r x 1t)", "would start at noon", false};
  EXPECT_EQ(sentences_of({one, two}),
            (Sentences{"K=1 (1n x 1r x 1t) would be refused: sbatch: Invalid account",
                       "K=2 (2n x 1r x 1t) would start at noon"}));
  two.words = "";
  EXPECT_EQ(sentences_of({two, two}), Sentences{}) << "a backend that has nothing to say";
}

}  // namespace
}  // namespace kneepoint
