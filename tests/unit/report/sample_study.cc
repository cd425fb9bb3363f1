// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/report/sample_study.h"

#include <cmath>

#include "tests/unit/analysis/evidence_builder.h"

namespace kneepoint {
namespace {

void describe(PointEvidence& p, double size, const std::string& held_fixed, double work) {
  p.point.size = size;
  p.point.has_size = true;
  p.point.held_fixed = held_fixed;
  p.point.work_unit = "cells";
  for (RunEvidence& run : p.runs) {
    run.work_total = work;
    run.work_min = run.work_max = work / p.point.k;
    run.compute_seconds = run.seconds * 0.8;
    run.communication_seconds = run.seconds * 0.15;
    run.hosts = "node1";
  }
}

}  // namespace

StudyEvidence sample_study() {
  EvidenceBuilder b;
  b.study.created_ns = 1'763'260'290 * kSecond;
  b.study.node_seconds = 81.5;
  const std::string grid = "the global grid of 96^3 cells";
  describe(b.add(Mode::strong, 1, {0.3121, 0.3098, 0.3155, 0.3117, 0.3130}), 96, grid, 884736);
  describe(b.add(Mode::strong, 2, {0.1702, 0.1699, 0.1731, 0.1715, 0.1710}), 96, grid, 884736);
  auto& four = b.add(Mode::strong, 4, {0.1120, 0.1190, 0.1172, 0.1154});
  describe(four, 96, grid, 884736);
  for (RunEvidence& run : four.runs) run.oversubscribed = true;
  b.add_run(four, failed_run(AttemptState::failed, Reason::wrong_answer));

  const std::string share = "about 64^3 cells per worker";
  describe(b.add(Mode::weak, 1, {0.0921, 0.0925, 0.0918, 0.0931, 0.0922}), 64, share, 262144);
  describe(b.add(Mode::weak, 2, {0.1007, 0.1003, 0.1011, 0.1298, 0.1009}), 81, share, 531441);
  auto& weak = b.add(Mode::weak, 4, {0.1850, 0.1902, 0.1833, 0.1875, 0.1867});
  describe(weak, 102, share, 1061208);
  for (RunEvidence& run : weak.runs) run.oversubscribed = true;

  for (const int k : {1, 2, 4, 8, 16}) {
    const double t = 0.05 + 0.95 / k + 0.01 * std::log2(k);
    auto& p = b.add(Mode::strong, k, {t, t * 1.004, t * 0.998, t * 1.001, t * 1.002}, "synthetic");
    p.point.emulated = true;
    p.point.held_fixed = "s=0.05, c=0.01";
  }
  return b.study;
}

StudyEvidence study_without_baseline() {
  EvidenceBuilder b;
  b.study.state = "interrupted";
  auto& one = b.add(Mode::strong, 1, {});
  for (int i = 0; i < 3; ++i)
    b.add_run(one, failed_run(AttemptState::timed_out, Reason::time_limit));
  b.add(Mode::strong, 2, {0.50, 0.50, 0.50});
  b.add(Mode::strong, 4, {0.30, 0.30, 0.30});
  auto& eight = b.add(Mode::strong, 8, {0.19});
  b.add_run(eight, RunEvidence{});
  b.add_run(eight, RunEvidence{});
  auto& sixteen = b.add(Mode::strong, 16, {});
  for (int i = 0; i < 3; ++i) b.add_run(sixteen, failed_run(AttemptState::failed, Reason::oom));
  return b.study;
}

}  // namespace kneepoint
