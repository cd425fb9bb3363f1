// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/http/message.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

using Parts = std::vector<std::string>;

TEST(HttpTarget, TakesAPathApartAndDecodesItsParts) {
  EXPECT_TRUE(read_target("/", "")->parts.empty());
  EXPECT_EQ(read_target("/api/v1/studies", "")->parts, (Parts{"api", "v1", "studies"}));
  EXPECT_EQ(read_target("/a%20b/%C3%A9+", "")->parts, (Parts{"a b", "\xC3\xA9+"}));
}

TEST(HttpTarget, APathThatCouldLeadElsewhereIsNotUnderstood) {
  for (const char* path : {"/..", "/a/../b", "/%2e%2e/etc/passwd", "/%2E./x", "/.", "/a%2fb",
                           "/a%5Cb", "/a%00b", "//", "/a//b", "/a/", "/%", "/%4", "/%zz", "a", "",
                           "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17"}) {
    EXPECT_FALSE(read_target(path, "")) << path;
  }
}

TEST(HttpTarget, QueriesHaveTheirValuesInOrder) {
  const auto target = read_target("/x", "study=A&study=B%26C&&empty&plus=a+b");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->values("study"), (Parts{"A", "B&C"}));
  EXPECT_EQ(target->value("plus"), "a b");
  EXPECT_EQ(target->value("empty"), "");
  EXPECT_EQ(target->value("none"), std::nullopt);
  EXPECT_FALSE(read_target("/x", "a=%"));
}

}  // namespace
}  // namespace kneepoint
