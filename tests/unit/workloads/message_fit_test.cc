// SPDX-License-Identifier: Apache-2.0
//
// Latency and bandwidth from message times.
#include "workloads/numerics/time_models.h"

#include <gtest/gtest.h>

namespace kneepoint::workloads {
namespace {

std::vector<MessageTime> exact(double alpha, double beta) {
  std::vector<MessageTime> times;
  for (double bytes = 8; bytes < 1e7; bytes *= 4) times.push_back({bytes, alpha + beta * bytes});
  return times;
}

TEST(MessageFit, RecoversExactCoefficients) {
  const MessageFit fit = fit_messages(exact(5e-6, 8e-11));
  EXPECT_NEAR(fit.alpha / 5e-6, 1, 1e-9);
  EXPECT_NEAR(fit.beta / 8e-11, 1, 1e-9);
  EXPECT_LT(fit.relative_error, 1e-9);
}

TEST(MessageFit, SmallMessagesCountAsMuchAsLargeOnes) {
  auto times = exact(5e-6, 8e-11);
  times.back().seconds *= 1.1;  // an unweighted fit would bend alpha by far more
  EXPECT_NEAR(fit_messages(times).alpha / 5e-6, 1, 0.02);
}

TEST(MessageFit, CoefficientsAreNeverNegative) {
  const MessageFit falling = fit_messages({{8, 3e-6}, {64, 2e-6}, {512, 1e-6}});
  EXPECT_EQ(falling.beta, 0);
  EXPECT_GT(falling.alpha, 0);
  const MessageFit convex = fit_messages({{100, 1e-6}, {200, 4e-6}, {400, 16e-6}});
  EXPECT_EQ(convex.alpha, 0);
  EXPECT_GT(convex.beta, 0);
}

TEST(MessageFit, OneSizeAloneIsExplainedByLatency) {
  const MessageFit fit = fit_messages({{8, 2e-6}});
  EXPECT_DOUBLE_EQ(fit.alpha, 2e-6);
  EXPECT_EQ(fit.beta, 0);
}

TEST(MessageFit, BusBandwidthCountsTheBytesOfARing) {
  EXPECT_NEAR(bus_bandwidth(104857600, 19.2095e-3, 64), 10.75, 0.005);
  EXPECT_EQ(bus_bandwidth(8, 1e-6, 1), 0);
}

TEST(MessageFit, TheSweepEndsAtTheLargestSizeInWholeDoubles) {
  EXPECT_EQ(message_sizes(1024, 4), (std::vector<std::int64_t>{16, 64, 256, 1024}));
  EXPECT_EQ(message_sizes(100, 2), (std::vector<std::int64_t>{8, 24, 48, 96}));
  EXPECT_EQ(message_sizes(8, 4), (std::vector<std::int64_t>{8}));
}

}  // namespace
}  // namespace kneepoint::workloads
