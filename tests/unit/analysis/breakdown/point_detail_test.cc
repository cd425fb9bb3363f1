// SPDX-License-Identifier: Apache-2.0
//
// What stands beside a point, out of runs whose parts are known by construction.
#include "orchestrator/analysis/parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orchestrator/analysis/study_analysis.h"
#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

RankTotal rank_total(int rank, const std::string& host, double seconds, double work = 1) {
  return {.rank = rank,
          .host = host,
          .cpus = std::to_string(rank),
          .compute_ns = static_cast<Nanoseconds>(seconds * 1e9),
          .communication_ns = 0,
          .work = work};
}

// One detail for the last run of the point: `iterations` equal ones that make up T.
RunDetail& add_detail(PointEvidence& point, const std::vector<double>& useful,
                      int iterations = 10) {
  const RunEvidence& run = point.runs.back();
  RunDetail detail{.number = run.number};
  detail.iteration_seconds.assign(iterations, run.seconds / iterations);
  for (std::size_t i = 0; i < useful.size(); ++i) {
    detail.ranks.push_back(rank_total(static_cast<int>(i), "n" + std::to_string(i / 2), useful[i]));
  }
  point.details.push_back(detail);
  point.point.iterations = iterations;
  return point.details.back();
}

bool has(const std::vector<Warning>& warnings, const std::string& code) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const Warning& w) { return to_string(w.code) == std::string(code); });
}

TEST(PointDetail, BreakdownAndAccountingAddUpToTheMeasuredEfficiency) {
  EvidenceBuilder b;
  add_detail(b.add(Mode::strong, 1, {10}), {9.5});
  add_detail(b.add(Mode::strong, 4, {4}), {2.0, 2.5, 3.0, 2.5});
  const StudyAnalysis a = analyse(b.study);
  const PointDetail& d = a.curves.at(0).points.at(1);
  ASSERT_TRUE(d.breakdown);
  EXPECT_NEAR(d.breakdown->load_balance, 2.5 / 3, 1e-12);
  EXPECT_NEAR(d.breakdown->communication_efficiency, 0.75, 1e-12);
  ASSERT_TRUE(d.accounting);
  EXPECT_TRUE(d.accounting->consistent);
  EXPECT_NEAR(d.accounting->implied_efficiency, 0.625, 1e-9);
  const auto& loss = a.curves[0].loss;
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->basis, "breakdown");
  EXPECT_EQ(loss->k, 4);
  EXPECT_NEAR(loss->imbalance + loss->communication + loss->computation, 1, 1e-9);
  EXPECT_NEAR(*d.local_efficiency, 0.625, 1e-12);
  EXPECT_FALSE(d.local_efficiency_interval);  // one run
}

TEST(PointDetail, IterationsNeedNotBeAsManyAtEveryK) {
  EvidenceBuilder b;
  PointEvidence& base = b.add(Mode::strong, 1, {1.0});  // of one iteration; 10 were timed
  add_detail(base, {9.5});
  base.details[0].iteration_seconds.assign(10, 1.0);
  base.point.iterations = 1;
  PointEvidence& at = b.add(Mode::strong, 2, {0.6});
  add_detail(at, {2.2, 2.4});
  at.details[0].iteration_seconds.assign(5, 0.6);
  at.point.iterations = 1;
  const StudyAnalysis a = analyse(b.study);
  const PointDetail& d = a.curves.at(0).points.at(1);
  EXPECT_NEAR(d.breakdown->wall, 0.6, 1e-9);
  EXPECT_NEAR(d.breakdown->useful_mean, 0.46, 1e-9);
  ASSERT_TRUE(d.accounting);
  EXPECT_TRUE(d.accounting->consistent);
}

TEST(PointDetail, TotalsOfAnotherRegionAreInconsistent) {
  EvidenceBuilder b;
  add_detail(b.add(Mode::strong, 1, {10}), {9.5});
  PointEvidence& at = b.add(Mode::strong, 2, {6});
  add_detail(at, {4.0, 4.0});
  at.details[0].iteration_seconds.assign(10, 0.5);  // 5 s of the 6
  const StudyAnalysis a = analyse(b.study);
  EXPECT_FALSE(a.curves.at(0).points.at(1).accounting->consistent);
  EXPECT_TRUE(has(a.curves[0].warnings, "inconsistent_breakdown"));
  EXPECT_FALSE(a.curves[0].loss && a.curves[0].loss->basis == "breakdown");
}

TEST(PointDetail, UsefulTimeAboveTheWallTimeIsSaid) {
  EvidenceBuilder b;
  add_detail(b.add(Mode::strong, 1, {1}), {1.5});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_FALSE(a.curves.at(0).points.at(0).breakdown);
  EXPECT_TRUE(has(a.curves[0].warnings, "inconsistent_breakdown"));
}

TEST(PointDetail, StragglersAreNamedByHost) {
  EvidenceBuilder b;
  add_detail(b.add(Mode::strong, 6, {10}), {5, 5, 5, 5, 8, 8});
  const StudyAnalysis a = analyse(b.study);
  const auto& stragglers = a.curves.at(0).points.at(0).stragglers;
  ASSERT_EQ(stragglers.size(), 1u);
  EXPECT_EQ(stragglers[0].host, "n2");
  EXPECT_TRUE(stragglers[0].whole_host);
}

TEST(PointDetail, CommunicationRatioGivesItsEfficiency) {
  EvidenceBuilder b;
  PointEvidence& point = b.add(Mode::strong, 1, {1, 1, 1});
  for (RunEvidence& run : point.runs) {
    run.compute_seconds = 0.8;
    run.communication_seconds = 0.2;
  }
  const StudyAnalysis a = analyse(b.study);
  EXPECT_NEAR(*a.curves.at(0).points.at(0).comm_ratio, 0.25, 1e-12);
  EXPECT_NEAR(*a.curves[0].points[0].comm_ratio_efficiency, 0.8, 1e-12);
}

TEST(PointDetail, ThroughputCountsResults) {
  EvidenceBuilder b;
  b.add(Mode::weak, 1, {2}).point.results = 100;
  b.add(Mode::weak, 4, {2.5}).point.results = 400;
  const StudyAnalysis a = analyse(b.study);
  EXPECT_NEAR(a.curves.at(0).points.at(0).results_per_second, 50, 1e-12);
  EXPECT_NEAR(a.curves[0].points.at(1).results_per_second, 160, 1e-12);
}

TEST(PointDetail, TheTailIsOverAllRunsAndGrowthIsToldOnWeakCurvesOnly) {
  for (const Mode mode : {Mode::strong, Mode::weak}) {
    EvidenceBuilder b;
    for (const int k : {1, 4}) {
      PointEvidence& point = b.add(mode, k, {10, 10});
      for (const RunEvidence& run : point.runs) {
        RunDetail detail{.number = run.number};
        for (int i = 0; i < 100; ++i) detail.iteration_seconds.push_back(k == 1 ? 1 + 0.01 * i : 2);
        point.details.push_back(detail);
      }
    }
    const StudyAnalysis a = analyse(b.study);
    const PointDetail &base = a.curves.at(0).points.at(0), &at = a.curves[0].points.at(1);
    ASSERT_TRUE(base.tail);
    EXPECT_EQ(base.tail->samples, 200);
    EXPECT_NEAR(base.tail->p95.value, 1.94, 1e-12);
    EXPECT_EQ(at.tail_growth.has_value(), mode == Mode::weak);
    EXPECT_FALSE(base.tail_growth);
  }
}

TEST(PointDetail, TheAuditAnswersWhatProvenanceKnows) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {600, 601, 602});
  PointEvidence at = b.add(Mode::strong, 8, {60, 61, 62});
  b.study.points.pop_back();
  for (PointEvidence* point : {&b.study.points[0], &at}) {
    int number = point == &at ? 2 : 1;
    for (RunEvidence& run : point->runs) {
      run.provenance = "cpu.model=x; program=1f";
      run.work_total = 1000;
      run.number = number;  // interleaved
      number += 2;
      RunDetail detail{.number = run.number};
      detail.facts = {{"run", "memory.swapped_pages", point == &at ? "0" : "7"},
                      {"run", "cpu.clock_mhz_during", "3000"},
                      {"n0", "cache.l2_bytes", "1000000"},
                      {"n0", "cache.l3_bytes", "32000000"},
                      {"n0", "cache.l3_cpus", "16"}};
      detail.metrics = {{"working_set_bytes", point == &at ? 4e6 : 4e7, "bytes"}};
      point->details.push_back(detail);
    }
  }
  b.study.points.push_back(at);
  const StudyAnalysis a = analyse(b.study);
  const auto& audit = a.curves.at(0).points.at(1).audit;
  ASSERT_TRUE(audit);
  std::vector<Answer> answers;
  for (const AuditCheck& check : audit->checks) answers.push_back(check.answer);
  // work, accident, swapped, order, node type, code path, clock, cache, instructions
  EXPECT_EQ(answers, (std::vector{Answer::no, Answer::no, Answer::yes, Answer::no, Answer::no,
                                  Answer::no, Answer::no, Answer::yes, Answer::unknown}));
  EXPECT_EQ(audit->finding, Finding::baseline_suspect);
}

TEST(PointDetail, ALocalEfficiencyAboveOneIsAuditedToo) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {10});
  b.add(Mode::strong, 2, {8});
  b.add(Mode::strong, 4, {3.5});
  const StudyAnalysis a = analyse(b.study);
  EXPECT_LT(a.summary.curves.at(0).points.at(2).efficiency, 1);
  const auto& audit = a.curves.at(0).points.at(2).audit;
  ASSERT_TRUE(audit);
  EXPECT_EQ(audit->sentence.substr(0, 12), "from K=2 on:");
  EXPECT_NEAR(audit->efficiency, 8 * 2 / (3.5 * 4), 1e-12);
}

TEST(PointDetail, RooflineAndUtilisationComeFromTheMachinesFacts) {
  EvidenceBuilder b;
  for (const int k : {1, 4}) {
    PointEvidence& point = b.add(Mode::strong, k, {8.0 / k});
    point.point.flops = 1e9;
    point.point.bytes = 4e9;
    point.point.iterations = 8;
    point.point.parallelism = 64;
    RunDetail detail{.number = point.runs[0].number};
    detail.facts = {{"n0", "machine.flops_per_core", "4e9"},
                    {"n0", "machine.bandwidth_per_core", "16e9"},
                    {"n0", "machine.bandwidth_of_node", "32e9"}};
    point.details.push_back(detail);
  }
  const StudyAnalysis a = analyse(b.study);
  const PointDetail& d = a.curves.at(0).points.at(1);
  EXPECT_NEAR(*d.flops_per_second, 4e9, 1);
  EXPECT_NEAR(*d.utilisation, 0.25, 1e-12);
  ASSERT_TRUE(d.roofline);
  EXPECT_EQ(d.roofline->bound, Bound::memory);  // 4 cores: 16 Gflop/s over 32 GB/s, 0.25 flop/byte
  EXPECT_NEAR(d.roofline->attainable, 8e9, 1);
  EXPECT_NEAR(*a.curves[0].intensity, 0.25, 1e-12);
  EXPECT_NEAR(*a.curves[0].cores_until_memory_bound, 2, 1e-12);
  EXPECT_NEAR(a.curves[0].work_depth->parallelism, 64, 1e-12);
  EXPECT_NEAR(a.curves[0].work_depth->speedup_high, 4, 1e-12);
}

TEST(PointDetail, UtilisationAboveOneIsRefusedAndSaid) {
  EvidenceBuilder b;
  PointEvidence& point = b.add(Mode::strong, 1, {1});
  point.point.flops = 5e9;
  RunDetail detail{.number = point.runs[0].number};
  detail.facts = {{"n0", "machine.flops_per_core", "4e9"},
                  {"n0", "machine.bandwidth_per_core", "16e9"},
                  {"n0", "machine.bandwidth_of_node", "32e9"}};
  point.details.push_back(detail);
  const StudyAnalysis a = analyse(b.study);
  EXPECT_FALSE(a.curves.at(0).points.at(0).utilisation);
  EXPECT_TRUE(has(a.curves[0].warnings, "utilisation_refused"));
}

}  // namespace
}  // namespace kneepoint
