// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/base/text.h"

#include <gtest/gtest.h>

#include <vector>

namespace kneepoint {
namespace {

const std::vector<std::string> kWords = {"scale", "shape", "modes", "workloads", "repeat"};

TEST(Suggest, FindsASlip) {
  EXPECT_EQ(nearest_word("sclae", kWords), "scale");
  EXPECT_EQ(nearest_word("workload", kWords), "workloads");
  EXPECT_EQ(nearest_word("repeats", kWords), "repeat");
}

TEST(Suggest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_word("partition", kWords), "");
  EXPECT_EQ(nearest_word(std::string(100, 'x'), kWords), "");
}

}  // namespace
}  // namespace kneepoint
