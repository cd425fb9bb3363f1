// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/lookup.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(RunWords, ABareNumberMeansTheNewestStudy) {
  const auto words = parse_run_words("r17");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->study, "");
  EXPECT_EQ(words->run, 17);
  EXPECT_EQ(words->attempt, 0);
}

TEST(RunWords, TheStudyStandsBeforeTheLastSlash) {
  const auto words = parse_run_words("jacobi-1a2b3c4d-2/r3");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->study, "jacobi-1a2b3c4d-2");
  EXPECT_EQ(words->run, 3);
}

TEST(RunWords, AnAttemptMayBeNamed) {
  const auto words = parse_run_words("jacobi/r3-a2");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->run, 3);
  EXPECT_EQ(words->attempt, 2);
}

TEST(RunWords, EverythingElseIsRefusedWithTheRightForm) {
  for (const char* text : {"", "17", "r", "r0", "r-1", "r017", "r1x", "/r1", "jacobi", "jacobi/",
                           "r1-a", "r1-a0", "r1-b2", "r-a1", "r99999999999", "R1", " r1"}) {
    const auto words = parse_run_words(text);
    ASSERT_FALSE(words) << text;
    EXPECT_NE(words.error().message.find("STUDY/r17"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kneepoint
