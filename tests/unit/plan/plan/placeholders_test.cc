// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/plan/formula.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

const std::vector<Parameter> kValues = {
    {"size", "512"}, {"tile-x", "8"}, {"evil", "; {size} $(x)"}};

TEST(Placeholders, AreReplacedByTheirValue) {
  EXPECT_EQ(replace_placeholders("--n={size}x{tile-x}", kValues), "--n=512x8");
  EXPECT_EQ(replace_placeholders("{size}{size}", kValues), "512512");
}

TEST(Placeholders, LeaveEveryOtherBraceAlone) {
  for (const char* text : {"{print $1}", "{", "}", "{}", "{ size }", "{1a}", "{\"a\":{\"b\":1}}"}) {
    EXPECT_EQ(replace_placeholders(text, kValues), text);
    EXPECT_TRUE(placeholders_in(text).empty()) << text;
  }
}

TEST(Placeholders, AreTextWhenTheBracesAreDoubled) {
  EXPECT_EQ(replace_placeholders("{{size}} {size}", kValues), "{size} 512");
  EXPECT_EQ(placeholders_in("{{size}} {K}"), std::vector<std::string>{"K"});
}

TEST(Placeholders, AreReplacedOnceOnly) {
  EXPECT_EQ(replace_placeholders("{evil}", kValues), "; {size} $(x)");
}

}  // namespace
}  // namespace kneepoint
