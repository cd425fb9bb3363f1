// SPDX-License-Identifier: Apache-2.0
//
// The pusher's loop with a clock and a controller of the test's own: what is sent when, and that it
// ends whatever the controller does.
#include "agents/agent/push/push.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

#include "agents/wire/record.h"
#include "tests/fakes/fake_clock.h"

namespace kneepoint::agent {
namespace {

class FakeController {
 public:
  Pushed send(const std::string& attempt, const std::string& lines, std::string& why) {
    ++calls;
    why = "it says so";
    const Pushed verdict = answer ? answer(calls) : Pushed::delivered;
    if (verdict == Pushed::delivered) got[attempt] += lines;
    return verdict;
  }
  std::function<Pushed(int)> answer;
  int calls = 0;
  std::map<std::string, std::string> got;
};

class PushLoopTest : public testing::Test {
 protected:
  PushLoopTest() {
    std::string name = (std::filesystem::temp_directory_path() / "kp-push-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    for (const char* attempt : {"r1-a1", "r2-a1"}) {
      StepSpec step;
      step.attempt = attempt;
      step.run_dir = folder_ + "/" + attempt;
      allocation_.steps.push_back(step);
    }
  }
  ~PushLoopTest() override { std::filesystem::remove_all(folder_); }

  void append(const std::string& attempt, const std::string& text) {
    std::filesystem::create_directories(folder_ + "/" + attempt);
    std::ofstream(folder_ + "/" + attempt + "/records.ndjson", std::ios::app) << text;
    written_[attempt] += text;
  }

  // `turn` is called before each wait with its number and says whether the agent has ended.
  void push(const std::function<bool(int)>& turn) {
    const PushWorld world{
        clock_,
        [&](const std::string& attempt, const std::string& lines, std::string& why,
            const std::function<bool()>&) { return controller_.send(attempt, lines, why); },
        [&](Nanoseconds most) {
          if (most > 0) {
            waits_.push_back(most);
            clock_.advance(most);
            ended_ = ended_ || turn(static_cast<int>(waits_.size()));
          }
          return ended_;
        },
        [&](const std::string& text) { said_ += text + "\n"; }};
    push_records(allocation_, world, Random(7), 5 * kSecond);
  }

  std::string folder_;
  FakeClock clock_;
  AllocationFile allocation_;
  FakeController controller_;
  std::map<std::string, std::string> written_;
  std::vector<Nanoseconds> waits_;
  std::string said_;
  bool ended_ = false;
};

TEST_F(PushLoopTest, SendsWholeLinesAsTheyComeAndTheRestAtTheEnd) {
  append("r1-a1", record::to_line(0, record::Begin{"r1-a1", 1}));
  push([&](int turn) {
    if (turn == 1) append("r1-a1", "{\"v\":1,\"seq\":1,\"type\":\"sam");
    if (turn == 2) {
      EXPECT_EQ(controller_.calls, 1) << "half a line is not sent";
      append("r1-a1", "ple\"}\n");
    }
    if (turn == 4) {
      EXPECT_EQ(controller_.calls, 2) << "nothing new, nothing sent";
      append("r2-a1", record::to_line(0, record::Begin{"r2-a1", 1}));
    }
    return turn == 4;
  });
  EXPECT_EQ(controller_.got, written_);
  EXPECT_EQ(said_, "");
  for (const Nanoseconds wait : waits_) {
    EXPECT_GE(wait, kPushEvery / 2);
    EXPECT_LE(wait, kPushEvery * 3 / 2);
  }
}

TEST_F(PushLoopTest, BacksOffWhileTheControllerIsAwayAndDeliversWhenItIsBack) {
  append("r1-a1", record::to_line(0, record::Begin{"r1-a1", 1}));
  controller_.answer = [](int call) { return call < 8 ? Pushed::later : Pushed::delivered; };
  push([&](int turn) { return turn == 9; });
  EXPECT_EQ(controller_.got, written_);
  ASSERT_GE(waits_.size(), 7U);
  EXPECT_GT(waits_[3], waits_[0]);
  EXPECT_LE(*std::max_element(waits_.begin(), waits_.end()), kLongestBackOff * 3 / 2);
  EXPECT_NE(said_.find("r1-a1 are not pushed for now: it says so"), std::string::npos) << said_;
  EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1) << "once, not at every try";
}

TEST_F(PushLoopTest, GivesUpSilentlyAtTheEndWithinItsLimit) {
  append("r1-a1", record::to_line(0, record::Begin{"r1-a1", 1}));
  controller_.answer = [](int) { return Pushed::later; };
  push([&](int turn) { return turn == 1; });
  const Nanoseconds after_end = std::accumulate(waits_.begin() + 1, waits_.end(), Nanoseconds{0});
  EXPECT_GE(after_end, 4 * kSecond);
  EXPECT_LE(after_end, 6 * kSecond);
}

TEST_F(PushLoopTest, ARefusalForGoodEndsItAtOnce) {
  append("r1-a1", record::to_line(0, record::Begin{"r1-a1", 1}));
  controller_.answer = [](int) { return Pushed::never; };
  push([](int) { return false; });
  EXPECT_EQ(controller_.calls, 1);
  EXPECT_NE(said_.find("are not pushed: it says so"), std::string::npos) << said_;
}

TEST_F(PushLoopTest, AStepWhoseEndHasArrivedIsNotLookedAtAgain) {
  RecordFollower records(folder_ + "/r1-a1/records.ndjson");
  EXPECT_EQ(records.next(1000), "");
  append("r1-a1", record::to_line(0, record::Begin{"r1-a1", 1}) +
                      record::to_line(1, record::End{"succeeded", "none"}));
  const std::string piece = records.next(1 << 20);
  EXPECT_EQ(piece, written_["r1-a1"]);
  EXPECT_EQ(records.next(1 << 20), piece) << "the same piece again";
  records.delivered(piece);
  append("r1-a1", "more\n");
  EXPECT_EQ(records.next(1 << 20), "");
}

TEST(PushMeaning, OnlyARefusalOfTheseVeryBytesIsForGood) {
  EXPECT_EQ(meaning_of(204), Pushed::delivered);
  for (const long status : {400L, 401L, 403L, 413L}) EXPECT_EQ(meaning_of(status), Pushed::never);
  for (const long status : {0L, 302L, 404L, 408L, 429L, 500L, 502L, 503L}) {
    EXPECT_EQ(meaning_of(status), Pushed::later) << status;
  }
}

}  // namespace
}  // namespace kneepoint::agent
