// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/choose_study.h"

#include <gtest/gtest.h>

namespace kneepoint::cli {
namespace {

Point point(int k) {
  Point p;
  p.build = "default";
  p.workload = p.case_name = "w";
  p.k = k;
  p.shape.ranks = p.shape.ranks_per_node = k;
  return p;
}

StudyEvidence evidence(const std::vector<std::pair<int, int>>& runs_at_k) {
  StudyEvidence e;
  for (const auto& [k, runs] : runs_at_k) {
    e.points.push_back({point(k), std::vector<RunEvidence>(static_cast<std::size_t>(runs))});
  }
  return e;
}

Study study(const std::vector<int>& ks, int repeats) {
  Study s;
  for (const int k : ks) s.points.push_back(point(k));
  s.plan.repeat = {repeats, repeats, 0};
  return s;
}

TEST(ChooseStudy, AskingForNoMoreIsSeen) {
  EXPECT_FALSE(asks_for_more(study({1, 2}, 3), evidence({{1, 3}, {2, 3}})));
  EXPECT_FALSE(asks_for_more(study({1}, 2), evidence({{1, 3}, {2, 3}})));
}

TEST(ChooseStudy, MoreRepeatsAndMoreKAreSeen) {
  EXPECT_TRUE(asks_for_more(study({1, 2}, 4), evidence({{1, 3}, {2, 3}})));
  EXPECT_TRUE(asks_for_more(study({1, 2, 4}, 3), evidence({{1, 3}, {2, 3}})));
}

TEST(ChooseStudy, TheSentenceSaysWhatHappens) {
  ChosenStudy chosen;
  chosen.row.id = "w-12345678-1";
  chosen.row.runs = 6;
  chosen.row.failed = 1;
  chosen.choice = Choice::nothing;
  EXPECT_EQ(sentence_of(chosen),
            "study w-12345678-1 is finished: 6 runs, 1 failed. The plan asks for nothing more");
  chosen.choice = Choice::resume;
  chosen.row.state = "cancelled";
  EXPECT_EQ(sentence_of(chosen), "resuming study w-12345678-1, which was cancelled");
}

}  // namespace
}  // namespace kneepoint::cli
