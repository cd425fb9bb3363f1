// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/tail.h"

#include <gtest/gtest.h>

#include <limits>

namespace kneepoint {
namespace {

RunDetail metric_run(std::vector<Metric> metrics) {
  RunDetail run;
  run.metrics = std::move(metrics);
  return run;
}

TEST(MetricSummary, IsTheMedianOverRunsWithItsIntervalAndLeavesTimeOut) {
  std::vector<RunDetail> runs;
  for (const double value : {3.0, 1.0, 2.0, 5.0, 4.0}) {
    runs.push_back(metric_run({{"gflops", value, "GF/s", "higher"}, {"time", 1, "s", "lower"}}));
  }
  runs.push_back(metric_run({{"gflops", std::numeric_limits<double>::quiet_NaN(), "GF/s", ""}}));
  std::vector<const RunDetail*> all;
  for (const RunDetail& run : runs) all.push_back(&run);
  const auto found = metrics_of(all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "gflops");
  EXPECT_EQ(found[0].unit, "GF/s");
  EXPECT_EQ(found[0].better, "higher");
  EXPECT_EQ(found[0].runs, 5);
  EXPECT_EQ(found[0].median, 3);
  ASSERT_TRUE(found[0].interval.has_value());
  EXPECT_EQ(found[0].interval->low, 1);
  EXPECT_EQ(found[0].interval->high, 5);
}

TEST(MetricSummary, OneRunHasNoIntervalAndTwoUnitsAreTwoMetrics) {
  const RunDetail one = metric_run({{"energy", 7, "J", ""}});
  const RunDetail two = metric_run({{"energy", 9, "kJ", "lower"}});
  const auto found = metrics_of({&one, &two});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].unit, "J");
  EXPECT_FALSE(found[0].interval.has_value());
  EXPECT_EQ(found[0].better, "");
  EXPECT_EQ(found[1].median, 9);
  EXPECT_TRUE(metrics_of({}).empty());
}

}  // namespace
}  // namespace kneepoint
