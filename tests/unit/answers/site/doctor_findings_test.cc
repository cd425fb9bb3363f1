// SPDX-License-Identifier: Apache-2.0
//
// What doctor says of what it measured, and where the line to a warning is.
#include "orchestrator/answers/site/doctor.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

Capabilities eight_nodes() {
  Capabilities has;
  has.nodes = 8;
  has.cores_per_node = 4;
  has.place = "partition batch of Slurm 22.05.8";
  return has;
}

TEST(DoctorFindings, TheSizeIsHeldAgainstTheSitesLimits) {
  SiteLimits limits;
  Capabilities has = eight_nodes();
  EXPECT_EQ(size_finding(limits, has).text,
            "partition batch of Slurm 22.05.8: 8 nodes with 4 cores");
  limits.nodes = 8;
  EXPECT_EQ(size_finding(limits, has).grade, Grade::ok);
  limits.nodes = 9;
  const SiteFinding large = size_finding(limits, has);
  EXPECT_EQ(large.grade, Grade::bad);
  EXPECT_NE(large.text.find("is 9: lower it to 8"), std::string::npos) << large.text;
  limits.nodes = 5;
  has.most_nodes = 4;
  has.most_time = 10 * kMinute;
  const SiteFinding most = size_finding(limits, has);
  EXPECT_EQ(most.grade, Grade::bad);
  EXPECT_NE(most.text.find("at most 4 for a job, at most 10 min 00 s for a job"), std::string::npos)
      << most.text;
  EXPECT_NE(most.text.find("lower it to 4"), std::string::npos) << most.text;
}

TEST(SizeFinding, SaysWhenNobodyCanTellHowManyNodesThereAre) {
  Capabilities has;
  has.nodes = 0;
  has.cores_per_node = 0;
  has.place = "namespace perf of context lab";
  const SiteFinding finding = size_finding({}, has);
  EXPECT_EQ(finding.grade, Grade::ok);
  EXPECT_EQ(finding.text,
            "namespace perf of context lab: how many nodes there are is not known here");
}

TEST(DoctorFindings, NodesThatAreOutAreToldWhenTheLargestRunNeedsThem) {
  SiteLimits limits;
  Capabilities has = eight_nodes();
  has.nodes_down = 3;
  const SiteFinding all = size_finding(limits, has);
  EXPECT_EQ(all.grade, Grade::warning);
  EXPECT_NE(all.text.find("only 5 can run something now"), std::string::npos) << all.text;
  limits.nodes = 5;
  const SiteFinding enough = size_finding(limits, has);
  EXPECT_EQ(enough.grade, Grade::ok);
  EXPECT_NE(enough.text.find("3 of them out of order"), std::string::npos) << enough.text;
}

TEST(DoctorFindings, TheLargestAllocationIsTheSitesLimitOrWhatThereIs) {
  SiteLimits limits;
  Capabilities has = eight_nodes();
  EXPECT_EQ(largest_allocation(limits, has), 8);
  has.most_nodes = 2;
  EXPECT_EQ(largest_allocation(limits, has), 2);
  limits.nodes = 64;
  EXPECT_EQ(largest_allocation(limits, has), 64) << "what the site promises is what is asked for";
}

TEST(DoctorFindings, ClocksAreApartOnlyWhenNoOrderOfEventsExplainsTheTimes) {
  const auto at = [](double before, double began, double ended, double after) {
    const auto ns = [](double s) { return static_cast<Nanoseconds>(s * 1e9); };
    return clock_finding({ns(before), ns(began), ns(ended), ns(after)});
  };
  EXPECT_EQ(at(100, 103, 104, 105).grade, Grade::ok);
  EXPECT_EQ(at(100, 103, 104, 105).text,
            "the node's clock is no more than 3 s ahead of ours and 1 s behind");
  EXPECT_EQ(at(100, 99, 100, 105).grade, Grade::ok) << "a second is nothing";
  const SiteFinding behind = at(100, 40, 41, 105);
  EXPECT_EQ(behind.grade, Grade::bad);
  EXPECT_NE(behind.text.find("at least 60 s behind ours; start an NTP"), std::string::npos)
      << behind.text;
  const SiteFinding ahead = at(100, 163, 165, 105);
  EXPECT_EQ(ahead.grade, Grade::bad);
  EXPECT_NE(ahead.text.find("at least 60 s ahead of ours"), std::string::npos) << ahead.text;
}

TEST(DoctorFindings, NoiseIsAWarningAtMost) {
  const SiteFinding quiet = noise_finding({1.00, 1.01, 0.99, 1.00, 1.01, 0.99, 1.00});
  EXPECT_EQ(quiet.grade, Grade::ok);
  EXPECT_NE(quiet.text.find("spread by 0.8% (standard deviation; fastest 1.0% below the median, "
                            "slowest 1.0% above), up to 2% is fine"),
            std::string::npos)
      << quiet.text;
  const SiteFinding loud = noise_finding({1, 1.2, 1, 1.5, 1, 1, 1});
  EXPECT_EQ(loud.grade, Grade::warning);
  EXPECT_NE(loud.text.find("`exclusive: true`"), std::string::npos) << loud.text;
  EXPECT_EQ(noise_finding({1, 1}).grade, Grade::warning);
  EXPECT_TRUE((DoctorAnswer{"lab", {quiet, loud}}.is_ready()));
}

}  // namespace
}  // namespace kneepoint
