// SPDX-License-Identifier: Apache-2.0
//
// Head, tail and what lies between, against a plain string that keeps everything.
#include "agents/agent/supervise/supervisor.h"

#include <gtest/gtest.h>

#include "orchestrator/base/random.h"

namespace kneepoint::agent {
namespace {

TEST(OutputCapture, keeps_everything_that_fits) {
  OutputCapture capture(4, 4);
  capture.append("abc");
  capture.append("defgh");
  EXPECT_EQ(capture.head(), "abcd");
  EXPECT_EQ(capture.tail(), "efgh");
  EXPECT_EQ(capture.dropped(), 0u);
  EXPECT_EQ(capture.rest(), "efgh");
}

TEST(OutputCapture, drops_the_middle_and_says_how_much) {
  OutputCapture capture(4, 4);
  capture.append("abcdefghijklm");
  EXPECT_EQ(capture.head(), "abcd");
  EXPECT_EQ(capture.tail(), "jklm");
  EXPECT_EQ(capture.dropped(), 5u);
  EXPECT_EQ(capture.rest(), "\n[kneepoint: 5 bytes dropped here]\njklm");
}

TEST(OutputCapture, agrees_with_a_string_that_keeps_everything_however_the_bytes_arrive) {
  Random random(5, "capture");
  for (int round = 0; round < 300; ++round) {
    const std::size_t head = random.below(9), tail = 1 + random.below(9);
    OutputCapture capture(head, tail);
    std::string all;
    for (std::uint64_t i = random.below(12); i > 0; --i) {
      std::string block(random.below(15), ' ');
      for (char& c : block) c = static_cast<char>('a' + random.below(26));
      capture.append(block);
      all += block;
    }
    ASSERT_EQ(capture.head().size() + capture.tail().size() + capture.dropped(), all.size());
    ASSERT_EQ(capture.head(), all.substr(0, head));
    const std::size_t beyond = all.size() - capture.head().size();
    ASSERT_EQ(capture.tail(), all.substr(all.size() - std::min(beyond, tail)));
    ASSERT_EQ(capture.dropped(), beyond - std::min(beyond, tail));
  }
}

TEST(OutputCapture, finds_the_last_line_with_something_on_it) {
  OutputCapture capture(6, 8);
  EXPECT_EQ(last_line(capture, 80), "");
  capture.append("one\ntwo");
  EXPECT_EQ(last_line(capture, 80), "two");  // though it lies in both parts
  capture.append("\n\n \n");
  EXPECT_EQ(last_line(capture, 80), "two");
  capture.append("a long line\n");
  EXPECT_EQ(last_line(capture, 4), "ng l");  // its beginning was dropped
}

}  // namespace
}  // namespace kneepoint::agent
