// SPDX-License-Identifier: Apache-2.0
//
// The claim's file: both forms, and every problem with its place.
#include "orchestrator/plan/readers.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

std::string problems(const std::string& text) {
  return to_string(read_claim(text, "c.yaml").problems);
}

TEST(ClaimReader, TheShortFormIsOnePointAndNothingElseIsAssumed) {
  const ClaimRead read = read_claim("claim: 180x on 256 GPUs\nk: 256\nspeedup: 180\n", "c.yaml");
  ASSERT_TRUE(read.problems.empty()) << to_string(read.problems);
  ASSERT_EQ(read.claim.points.size(), 1U);
  EXPECT_EQ(read.claim.points[0].k, 256);
  EXPECT_EQ(read.claim.points[0].speedup, 180);
  EXPECT_FALSE(read.claim.mode || read.claim.baseline.k || read.claim.repeats);
  EXPECT_TRUE(read.claim.worker.empty());
}

TEST(ClaimReader, TheLongFormHoldsAllThatAClaimCanSay) {
  const ClaimRead read = read_claim(
      "claim: x\nsource: slide\nmode: weak\nworker: gpu\n"
      "points: [{k: 8, time: 2m}, {k: 1, time: 90s, efficiency: 1}]\n"
      "baseline: {k: 1, what: one GPU, optimised: true, measured: false, same_program: true}\n"
      "held_fixed: batch per GPU\ntimed: steps\nanswer: same loss\nrepeats: 5\ninterval: 2%\n"
      "price: {per_worker_hour: 2.50, currency: USD}\n",
      "c.yaml");
  ASSERT_TRUE(read.problems.empty()) << to_string(read.problems);
  EXPECT_EQ(read.claim.mode, Mode::weak);
  EXPECT_EQ(read.claim.points[0].k, 1);  // sorted
  EXPECT_NEAR(read.claim.points[1].seconds.value_or(0), 120, 1e-6);
  EXPECT_EQ(read.claim.baseline.measured, false);
  EXPECT_EQ(read.claim.price_per_worker_hour, 2'500'000);
}

TEST(ClaimReader, EveryProblemHasItsPlace) {
  EXPECT_NE(problems("claim: x\n").find("points: missing"), std::string::npos);
  EXPECT_NE(problems("k: 256\n").find("c.yaml:1:4: k: expected speedup, time or efficiency"),
            std::string::npos);
  EXPECT_NE(problems("speedup: 180\n").find("k: missing"), std::string::npos);
  EXPECT_NE(problems("k: 2\nspeedup: -1\n").find("speedup"), std::string::npos);
  EXPECT_NE(problems("k: 0\nspeedup: 1\n").find("c.yaml:1:4"), std::string::npos);
  EXPECT_NE(problems("k: 2\nspeedup: 2\nregime: strong\n").find("regime: unknown key"),
            std::string::npos);
  EXPECT_NE(problems("k: 2\nspeedup: 2\nmode: stron\n").find("strong"), std::string::npos);
  EXPECT_NE(problems("points: [{k: 2, speedup: 2}, {k: 2, speedup: 3}]\n").find("is there already"),
            std::string::npos);
  EXPECT_NE(problems("k: 2\nspeedup: 2\npoints: [{k: 2, speedup: 2}]\n").find("says it again"),
            std::string::npos);
  EXPECT_NE(problems("k: 2\nspeedup: 2\nprice: {currency: USD}\n").find("per_worker_hour: missing"),
            std::string::npos);
  EXPECT_NE(problems("baseline: {k: 8}\npoints: [{k: 4, time: 9s}, {k: 64, time: 1s}]\n")
                .find("c.yaml:1:15: baseline.k: K=4 of the claim is below its baseline"),
            std::string::npos);
  EXPECT_FALSE(problems("[1, 2]").empty());
  EXPECT_FALSE(problems("").empty());
}

}  // namespace
}  // namespace kneepoint
