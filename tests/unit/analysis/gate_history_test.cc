// SPDX-License-Identifier: Apache-2.0
//
// Studies as nights: what belongs to the segment, what moved, since when.
#include "orchestrator/analysis/gate_history.h"

#include <gtest/gtest.h>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

struct NightSpec {
  int number = 1;
  double factor = 1;         // of T
  double communication = 0;  // seconds on top, all of them communication
  std::string environment = "cpu.model=A; mpi=x";
  std::string program = "p1";
};

StudyEvidence night_of(const NightSpec& spec) {
  EvidenceBuilder builder;
  builder.study.id = "night-" + std::to_string(spec.number);
  for (const int k : {1, 2, 4}) {
    std::vector<double> times;
    // A little different every night, so that there is a deviation.
    const double base = (1.0 + 0.002 * ((spec.number * 7 + k) % 5 - 2)) / k;
    for (int r = 0; r < 3; ++r) times.push_back(base * spec.factor + spec.communication);
    PointEvidence& point = builder.add(Mode::strong, k, times);
    for (RunEvidence& run : point.runs) {
      run.provenance = spec.environment + "; program=" + spec.program;
      run.compute_seconds = 0.8 * base * spec.factor;
      run.communication_seconds = 0.1 * base * spec.factor + spec.communication;
    }
  }
  return builder.study;
}

std::vector<StudyEvidence> quiet(int nights) {
  std::vector<StudyEvidence> studies;
  for (int i = 1; i <= nights; ++i) studies.push_back(night_of({.number = i}));
  return studies;
}

TEST(GateHistory, OneNightPerStudyAndOneSeriesPerPoint) {
  const GateHistory history = make_history(quiet(12));
  EXPECT_EQ(history.nights.size(), 12u);
  EXPECT_EQ(history.nights.back(), "night-12");
  EXPECT_EQ(history.builds.back(), "p1");
  ASSERT_EQ(history.series.size(), 3u);
  EXPECT_EQ(history.series[2].k, 4);
  EXPECT_EQ(history.series[0].curve, "jacobi strong");
  EXPECT_EQ(history.series[0].log_medians.size(), 12u);
  EXPECT_EQ(history.changed, "");
  EXPECT_EQ(gate(history.series).verdict, Verdict::pass);
}

TEST(GateHistory, AnotherBuildIsNoOtherEnvironmentAnotherNodeIs) {
  std::vector<StudyEvidence> studies = quiet(12);
  studies.push_back(night_of({.number = 13, .program = "p2"}));
  EXPECT_EQ(make_history(studies).changed, "");
  studies.push_back(night_of({.number = 14, .environment = "cpu.model=B; mpi=x"}));
  const GateHistory changed = make_history(studies);
  EXPECT_EQ(changed.changed, "cpu.model=A before, cpu.model=B tonight");
  EXPECT_EQ(changed.nights.size(), 1u);
  studies.push_back(night_of({.number = 15, .environment = "cpu.model=B; mpi=x"}));
  const GateHistory after = make_history(studies);
  EXPECT_EQ(after.changed, "");
  EXPECT_EQ(after.nights.size(), 2u);
  EXPECT_EQ(after.other_environment, 13);
  EXPECT_EQ(gate(after.series).verdict, Verdict::no_baseline);
}

TEST(GateHistory, SaysWhatMovedAndSinceWhen) {
  std::vector<StudyEvidence> studies = quiet(14);
  for (int i = 15; i <= 17; ++i) {
    studies.push_back(night_of({.number = i, .communication = 0.03, .program = "p2"}));
  }
  const GateHistory history = make_history(studies);
  const GateAnswer answer = gate(history.series);
  EXPECT_EQ(answer.verdict, Verdict::regressed) << answer.why;
  const GateFinding& curve = answer.curves.at(0);
  ASSERT_TRUE(curve.slower);
  const auto moved = moved_term(history, curve);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->name, "communication");
  EXPECT_GT(moved->share, 0.9);
  const auto change = last_change(history, curve);
  ASSERT_TRUE(change);
  EXPECT_EQ(history.nights[change->night], "night-15");
  EXPECT_EQ(history.builds[change->night], "p2");
  EXPECT_GT(change->ratio, 1.03);
}

TEST(GateHistory, AFailedRunIsNeverSilentlyMissing) {
  std::vector<StudyEvidence> studies = quiet(12);
  studies.back().points[1].runs[0] = failed_run(AttemptState::failed, Reason::exit_code);
  const GateHistory history = make_history(studies);
  ASSERT_EQ(history.failed.size(), 1u);
  EXPECT_EQ(gate(history.series).verdict, Verdict::failed);
}

TEST(GateHistory, PointsThatAreNewTonightHaveNoPast) {
  std::vector<StudyEvidence> studies = quiet(12);
  EvidenceBuilder builder;
  builder.add(Mode::strong, 8, {0.2, 0.2, 0.2});
  builder.study.points[0].runs[0].provenance = "cpu.model=A; mpi=x; program=p1";
  studies.back().points.push_back(builder.study.points[0]);
  const GateHistory history = make_history(studies);
  EXPECT_FALSE(history.series.at(3).log_medians.front().has_value());
  const GateAnswer answer = gate(history.series);
  EXPECT_TRUE(answer.points.at(3).tests.empty());
}

}  // namespace
}  // namespace kneepoint
