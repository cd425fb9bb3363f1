// SPDX-License-Identifier: Apache-2.0
//
// Studies as nights: what belongs to the segment, what moved, since when.
#include "orchestrator/analysis/gate/history.h"

#include <gtest/gtest.h>

#include <tuple>

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

// What the store reads of a study.
GateNight as_night(const StudyEvidence& study) {
  GateNight night;
  night.id = study.id;
  for (const PointEvidence& point : study.points) {
    NightTimes& times = night.points.emplace_back();
    times.key = point.point.key();
    for (const RunEvidence& run : point.runs) {
      if (run.state != AttemptState::succeeded) continue;
      times.seconds.push_back(run.seconds);
      times.compute.push_back(run.compute_seconds);
      times.communication.push_back(run.communication_seconds);
      const std::size_t cut = run.provenance.find("; program=");
      if (cut == std::string::npos) continue;
      night.environment = run.provenance.substr(0, cut);
      night.program = run.provenance.substr(cut + 10);
    }
  }
  return night;
}

GateHistory history_of(const std::vector<StudyEvidence>& studies) {
  std::vector<GateNight> nights;
  for (const StudyEvidence& study : studies) nights.push_back(as_night(study));
  return make_history({.nights = nights}, studies.back());
}

std::vector<StudyEvidence> quiet(int nights) {
  std::vector<StudyEvidence> studies;
  for (int i = 1; i <= nights; ++i) studies.push_back(night_of({.number = i}));
  return studies;
}

TEST(GateHistory, OneNightPerStudyAndOneSeriesPerPoint) {
  const GateHistory history = history_of(quiet(12));
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
  const GateNight first = as_night(night_of({.number = 1}));
  EXPECT_EQ(environment_change(first, as_night(night_of({.number = 2, .program = "p2"}))), "");
  EXPECT_EQ(environment_change(
                first, as_night(night_of({.number = 3, .environment = "cpu.model=B; mpi=x"}))),
            "cpu.model=A before, cpu.model=B tonight");
}

TEST(GateHistory, TheKneeGoesByWorkWhereThatOfTheReportDoes) {
  std::vector<StudyEvidence> studies;
  for (int night = 1; night <= 12; ++night) {
    EvidenceBuilder builder;
    builder.study.id = "night-" + std::to_string(night);
    for (const auto& [k, seconds, work] :
         {std::tuple{1, 1.0, 1.0}, {2, 1.3, 1.2}, {4, 1.6, 1.4}, {8, 2.0, 1.6}}) {
      PointEvidence& point = builder.add(Mode::weak, k, std::vector<double>(3, seconds));
      for (RunEvidence& run : point.runs) run.work_total = work * k;
    }
    studies.push_back(builder.study);
  }
  const GateHistory history = history_of(studies);
  EXPECT_NEAR(history.series[3].work_per_worker, 1.6, 1e-12);
  EXPECT_EQ(summarise(studies.back()).knees.at(0).place, KneePlace::beyond);
  EXPECT_EQ(gate(history).knees.at(0).tonight, 8);  // by time alone it would be below 4
}

TEST(GateHistory, SaysWhatMovedAndSinceWhen) {
  std::vector<StudyEvidence> studies = quiet(14);
  for (int i = 15; i <= 17; ++i) {
    studies.push_back(night_of({.number = i, .communication = 0.03, .program = "p2"}));
  }
  const GateHistory history = history_of(studies);
  const GateAnswer answer = gate(history.series);
  EXPECT_EQ(answer.verdict, Verdict::regressed) << answer.why;
  const GateFinding& curve = answer.curves.at(0);
  ASSERT_TRUE(curve.slower);
  const auto moved = moved_term(history, curve);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->name, "communication");
  EXPECT_GT(moved->share, 0.9);
  GateAnswer explained = answer;
  explain(history, explained);
  EXPECT_EQ(explained.curves.at(0).moved->name, "communication");
  const LevelChange* since = explained.curves.at(0).since();
  ASSERT_NE(since, nullptr);
  EXPECT_EQ(since->first_after.night, "night-15");
  EXPECT_EQ(since->first_after.program, "p2");
  EXPECT_EQ(since->last_before->night, "night-14");
  EXPECT_GT(since->ratio, 1.03);
}

// The same growth, told by a workload that reports no parts.
std::optional<MovedTerm> moved_by_shape(double (*extra)(int k)) {
  std::vector<StudyEvidence> studies = quiet(12);
  for (PointEvidence& point : studies.back().points) {
    for (RunEvidence& run : point.runs) run.seconds += extra(point.point.k);
  }
  for (StudyEvidence& study : studies) {
    for (PointEvidence& point : study.points) {
      for (RunEvidence& run : point.runs) run.compute_seconds = run.communication_seconds = 0;
    }
  }
  GateFinding curve;
  curve.name = "jacobi strong";
  curve.whole_curve = true;
  return moved_term(history_of(studies), curve);
}

TEST(GateHistory, WithoutPartsTheShapeOfTheGrowthSaysWhatMoved) {
  const auto serial = moved_by_shape([](int) { return 0.1; });
  ASSERT_TRUE(serial);
  EXPECT_EQ(serial->name, "serial");
  EXPECT_TRUE(serial->by_shape);
  EXPECT_EQ(moved_by_shape([](int k) { return 0.2 / k; })->name, "compute");
  EXPECT_EQ(moved_by_shape([](int k) { return k == 1   ? 0.0
                                              : k == 2 ? 0.1
                                                       : 0.2; })->name,
            "communication");
  EXPECT_FALSE(moved_by_shape([](int) { return -0.1; }));
}

TEST(GateHistory, ComputeThatDoesNotShrinkIsSerial) {
  std::vector<StudyEvidence> studies = quiet(12);
  for (PointEvidence& point : studies.back().points) {
    for (RunEvidence& run : point.runs) {
      run.seconds += 0.1;
      run.compute_seconds += 0.1;
    }
  }
  GateFinding curve;
  curve.name = "jacobi strong";
  curve.whole_curve = true;
  const auto moved = moved_term(history_of(studies), curve);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->name, "serial");
  EXPECT_FALSE(moved->by_shape);
}

TEST(GateHistory, NightsOfTablesGoByCaseModeAndK) {
  const StudyEvidence tonight = night_of({.number = 12});
  ImportedNight table{"2026-01-01", 0, "v1", {}};
  table.times = {{"jacobi", Mode::strong, 2, 0.5},
                 {"jacobi", Mode::strong, 2, 0.7},
                 {"jacobi", Mode::weak, 2, 9},
                 {"other", Mode::strong, 1, 9}};
  const GateNight night = night_of_table(table, tonight);
  EXPECT_EQ(night.id, "2026-01-01");
  EXPECT_EQ(night.program, "v1");
  ASSERT_EQ(night.points.size(), 1u);
  EXPECT_EQ(night.points[0].key, tonight.points[1].point.key());
  EXPECT_EQ(night.points[0].seconds, (std::vector<double>{0.5, 0.7}));
  StudyEvidence twice = tonight;
  twice.points.push_back(twice.points[1]);
  EXPECT_TRUE(night_of_table(table, twice).points.empty()) << "two shapes: which is meant?";
}

TEST(GateHistory, KeepsTheRunsOfTonightAndOfTheBaseline) {
  std::vector<GateNight> nights;
  for (const StudyEvidence& study : quiet(10)) nights.push_back(as_night(study));
  const GateHistory history =
      make_history({.nights = nights, .baseline = nights[2]}, night_of({.number = 10}));
  EXPECT_EQ(history.series[0].runs, nights[9].points[0].seconds);
  EXPECT_EQ(history.series[0].baseline_runs, nights[2].points[0].seconds);
}

TEST(GateHistory, AFailedRunIsNeverSilentlyMissing) {
  std::vector<StudyEvidence> studies = quiet(12);
  studies.back().points[1].runs[0] = failed_run(AttemptState::failed, Reason::exit_code);
  const GateHistory history = history_of(studies);
  ASSERT_EQ(history.failed.size(), 1u);
  EXPECT_EQ(gate(history.series).verdict, Verdict::failed);
}

TEST(GateHistory, PointsThatAreNewTonightHaveNoPast) {
  std::vector<StudyEvidence> studies = quiet(12);
  EvidenceBuilder builder;
  builder.add(Mode::strong, 8, {0.2, 0.2, 0.2});
  builder.study.points[0].runs[0].provenance = "cpu.model=A; mpi=x; program=p1";
  studies.back().points.push_back(builder.study.points[0]);
  const GateHistory history = history_of(studies);
  EXPECT_FALSE(history.series.at(3).log_medians.front().has_value());
  const GateAnswer answer = gate(history.series);
  EXPECT_TRUE(answer.points.at(3).tests.empty());
  EXPECT_EQ(answer.curves.at(0).ks, (std::vector<int>{1, 2, 4})) << "the others keep their past";
  EXPECT_FALSE(answer.curves.at(0).tests.empty());
}

}  // namespace
}  // namespace kneepoint
