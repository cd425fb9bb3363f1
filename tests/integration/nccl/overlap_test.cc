// SPDX-License-Identifier: Apache-2.0
//
// Exposed communication where gemms and collectives take at least a known time: they sleep, so that
// both streams go on at once however few cores there are. Sleeps end late, never early, and the
// bounds below rest on that alone.
#include "tests/integration/nccl/stand_ins.h"

namespace kneepoint::workloads {
namespace {

constexpr double kGemm = 0.06, kCollective = 0.02;
constexpr int kLayers = 4;
constexpr int kGemms = 3 * kLayers - 1;

Outcome slow_step(const std::string& overlap, const std::string& bucket) {
  return on_stand_ins(
      2, "nccl_data_parallel",
      {"--size", "4", "--width", "16", "--layers", std::to_string(kLayers), "--bucket", bucket,
       "--overlap", overlap, "--iterations", "3", "--warmup", "0"},
      {{"KNEEPOINT_STAND_IN_GEMM_MS", "60"}, {"KNEEPOINT_STAND_IN_COLLECTIVE_MS", "20"}});
}

TEST_F(NcclTest, CommunicationAfterTheBackwardPassIsExposedAllOfIt) {
  const Outcome o = slow_step("no", "1");
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  const double communication = metric(o.records, "communication");
  EXPECT_EQ(metric(o.records, "buckets"), kLayers);
  EXPECT_GE(communication, 0.99 * kLayers * kCollective);
  EXPECT_NEAR(metric(o.records, "exposed_communication"), communication, 1e-3 * communication);
  EXPECT_NEAR(metric(o.records, "overlapped_share"), 0, 1e-3);
  EXPECT_GE(metric(o.records, "step_by_events"), 0.99 * (kGemms * kGemm + kLayers * kCollective));
  for (const auto& s : o.records.samples) {
    EXPECT_GE(s.compute_ns, static_cast<std::int64_t>(0.98e9 * kGemms * kGemm));
    EXPECT_GE(s.communication_ns, static_cast<std::int64_t>(0.98e9 * kLayers * kCollective));
  }
}

TEST_F(NcclTest, CommunicationDuringTheBackwardPassIsHiddenButForTheLastBucket) {
  const Outcome o = slow_step("yes", "1");
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  const double communication = metric(o.records, "communication");
  const double exposed = metric(o.records, "exposed_communication");
  EXPECT_GE(communication, 0.99 * kLayers * kCollective);
  // The last bucket's gradient ends the backward pass; nothing can hide its collective.
  EXPECT_GE(exposed, 0.9 * kCollective);
  EXPECT_LT(exposed, communication);
  EXPECT_GT(metric(o.records, "overlapped_share"), 0);
}

TEST_F(NcclTest, OneBucketForAllGradientsHidesNothing) {
  const Outcome o = slow_step("yes", "1000000");
  ASSERT_EQ(o.exit_code, 0) << o.errors;
  EXPECT_EQ(metric(o.records, "buckets"), 1);
  EXPECT_GE(metric(o.records, "exposed_communication"), 0.9 * kCollective);
}

}  // namespace
}  // namespace kneepoint::workloads
