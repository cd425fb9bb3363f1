// SPDX-License-Identifier: Apache-2.0
//
// The whole of analyse() on one core: a large strong curve, and what rounds ask for on the way.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "orchestrator/analysis/study_analysis.h"
#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/analysis/model_data.h"

namespace kneepoint::bench {
namespace {

constexpr double kMostSeconds = 1;
constexpr double kMostHalfWidthSeconds = 0.1;

// Of this process: other load on the machine doesn't count.
double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

StudyEvidence forty_points() {
  std::vector<int> ks;
  for (int k = 1; k <= 20; ++k) ks.push_back(k);
  for (int k = 24; k <= 176; k += 8) ks.push_back(k);
  Random random(2);
  EvidenceBuilder b;
  for (const TimesAtK& at : noisy_times(amdahl_log(0.05, 0.01), ks, 20, 0.02, random)) {
    PointEvidence& point = b.add(Mode::strong, at.k, at.seconds);
    point.point.iterations = 50;
    for (const RunEvidence& run : point.runs) {
      RunDetail detail{.number = run.number};
      detail.iteration_seconds.assign(50, run.seconds / 50);
      for (int rank = 0; rank < at.k; ++rank) {
        detail.ranks.push_back({.rank = rank,
                                .host = "n" + std::to_string(rank / 16),
                                .compute_ns = static_cast<Nanoseconds>(run.seconds * 7e8),
                                .work = 1});
      }
      point.details.push_back(std::move(detail));
    }
  }
  return b.study;
}

TEST(StudyBench, FortyPointsOfTwentyRepeatsWith2000ReplicatesAreAnalysedWithinASecond) {
  const StudyEvidence study = forty_points();
  ASSERT_EQ(study.points.size(), 40u);
  const double start = process_seconds();
  const StudyAnalysis a = analyse(study);
  const double seconds = process_seconds() - start;
  std::printf("bench: analyse, 40 K x 20 runs, 2000 replicates: %.3f s\n", seconds);
  EXPECT_EQ(a.curves.at(0).models.fits.size(), 5u);
  EXPECT_TRUE(a.curves[0].best_intervals);
  EXPECT_TRUE(a.curves[0].knees.knees.at(0).low);
  EXPECT_TRUE(a.curves[0].points.at(39).accounting);
  EXPECT_EQ(a.curves[0].predictions.predictions.size(), 2u);
  EXPECT_LT(seconds, kMostSeconds);
}

TEST(StudyBench, WhatRoundsAskForNeedsNoBootstrap) {
  const StudyEvidence study = forty_points();
  const double start = process_seconds();
  const std::vector<double> widths = efficiency_half_widths(study);
  const double seconds = process_seconds() - start;
  std::printf("bench: half-widths of 40 K x 20 runs: %.4f s\n", seconds);
  EXPECT_EQ(widths.size(), 40u);
  EXPECT_LT(seconds, kMostHalfWidthSeconds);
}

TEST(StudyBench, TenThousandRepeatsAreAnalysed) {
  Random random(3);
  EvidenceBuilder b;
  for (const TimesAtK& at :
       noisy_times(amdahl_log(0.05, 0.01), powers_to(32), 10000, 0.02, random)) {
    b.add(Mode::strong, at.k, at.seconds);
  }
  const double start = process_seconds();
  const StudyAnalysis a = analyse(b.study);
  std::printf("bench: analyse, 6 K x 10000 runs, 2000 replicates: %.3f s\n",
              process_seconds() - start);
  EXPECT_TRUE(a.curves.at(0).knees.knees.at(0).low);
}

}  // namespace
}  // namespace kneepoint::bench
