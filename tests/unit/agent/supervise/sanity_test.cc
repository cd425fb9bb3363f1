// SPDX-License-Identifier: Apache-2.0
//
// Rules about numbers and exit codes as a table: value, rule, sentence.
#include "agents/agent/supervise/outcome.h"

#include <gtest/gtest.h>

namespace kneepoint::agent {
namespace {

SanityRule on(const std::string& metric) {
  SanityRule rule;
  rule.kind = SanityRule::Kind::metric;
  rule.metric = metric;
  return rule;
}

std::string broken(const SanityRule& rule, double value) {
  const auto sentences = broken_by_values({rule}, {{"x", value, ""}});
  return sentences.empty() ? "" : sentences[0];
}

TEST(Sanity, BoundsIncludeTheirOwnValue) {
  SanityRule rule = on("x");
  rule.at_most = 1e-6;
  EXPECT_EQ(broken(rule, 1e-6), "");
  EXPECT_EQ(broken(rule, 2e-6), "sanity rule 1: x must be at most 1e-06, found 2e-06");
  rule.at_least = 0;
  EXPECT_EQ(broken(rule, 0), "");
  EXPECT_EQ(broken(rule, -1), "sanity rule 1: x must be at least 0 and at most 1e-06, found -1");
}

TEST(Sanity, AToleranceIsAbsoluteOrAShareOfTheValue) {
  SanityRule rule = on("x");
  rule.equals = -200;
  rule.tolerance = 1;
  EXPECT_EQ(broken(rule, -201), "");
  EXPECT_EQ(broken(rule, -198.5), "sanity rule 1: x must be -200 within 1, found -198.5");
  rule.relative = true;
  rule.tolerance = 0.01;
  EXPECT_EQ(broken(rule, -198), "");
  EXPECT_EQ(broken(rule, -197), "sanity rule 1: x must be -200 within 1%, found -197");
}

TEST(Sanity, ANumberThatIsMissingBreaksItsRule) {
  SanityRule rule = on("residual");
  rule.at_most = 1;
  EXPECT_EQ(broken(rule, 0),
            "sanity rule 1: residual must be at most 1, but the program gave none");
}

TEST(Sanity, ExitCodesAreThoseOfTheRuleOrZero) {
  SanityRule rule;
  rule.kind = SanityRule::Kind::exit_codes;
  rule.exit_codes = {0, 3};
  EXPECT_EQ(allowed_exit_codes({}), std::vector<int>({0}));
  EXPECT_EQ(allowed_exit_codes({on("x"), rule}), std::vector<int>({0, 3}));
}

}  // namespace
}  // namespace kneepoint::agent
