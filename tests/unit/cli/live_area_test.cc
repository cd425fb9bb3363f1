// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "orchestrator/cli/shell/terminal.h"

namespace kneepoint::cli {
namespace {

class FakeClock final : public Clock {
 public:
  Nanoseconds wall() const override { return now; }
  Nanoseconds steady() const override { return now; }
  Nanoseconds now = kSecond;
};

int tall() {
  return 50;
}
int low() {
  return 4;
}

TEST(LiveArea, DrawsInPlaceAndEndsBelow) {
  FakeClock clock;
  std::ostringstream out;
  {
    LiveArea area(out, clock, tall);
    area.draw("a\nb\n");
    EXPECT_EQ(out.str(), "\r\x1b[J\na\nb\n\x1b[3A\r");
    out.str("");
    area.draw("c\n");
    EXPECT_EQ(out.str(), "\r\x1b[J\nc\n\x1b[2A\r");
    out.str("");
  }
  EXPECT_EQ(out.str(), "\x1b[2B\r");
}

TEST(LiveArea, IsDueFiveTimesASecond) {
  FakeClock clock;
  std::ostringstream out;
  LiveArea area(out, clock, tall);
  EXPECT_TRUE(area.is_due());
  area.draw("a\n");
  EXPECT_FALSE(area.is_due());
  clock.now += 199 * kMillisecond;
  EXPECT_FALSE(area.is_due());
  clock.now += kMillisecond;
  EXPECT_TRUE(area.is_due());
}

TEST(LiveArea, NeverScrollsTheTerminal) {
  FakeClock clock;
  std::ostringstream out;
  LiveArea area(out, clock, low);
  area.draw("a\nb\nc\nd\n");
  EXPECT_EQ(out.str(), "\r\x1b[J\na\n\x1b[2A\r");
}

TEST(LiveArea, ClearingLeavesNothing) {
  FakeClock clock;
  std::ostringstream out;
  LiveArea area(out, clock, tall);
  area.clear();
  EXPECT_EQ(out.str(), "");
  area.draw("a\n");
  out.str("");
  area.clear();
  EXPECT_EQ(out.str(), "\r\x1b[J");
}

}  // namespace
}  // namespace kneepoint::cli
