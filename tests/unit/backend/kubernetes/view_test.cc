// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/kubernetes/session.h"

#include "tests/fakes/fake_clock.h"
#include "tests/fakes/scripted_kube.h"

namespace kneepoint {
namespace {

using Piece = ScriptedStream::Piece;

std::string job(const std::string& name, const std::string& version, bool complete = false) {
  return R"({"kind":"Job","metadata":{"name":")" + name + R"(","uid":"u","resourceVersion":")" +
         version + R"("},"status":{"conditions":[{"type":"Complete","status":")" +
         (complete ? "True" : "False") + R"("}]}})";
}

KubeAnswer list_of(const std::string& kind, const std::string& version,
                   const std::string& items = "", const std::string& next = "") {
  return {200, R"({"kind":")" + kind + R"(List","metadata":{"resourceVersion":")" + version +
                   R"(","continue":")" + next + R"("},"items":[)" + items + "]}"};
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

class View : public testing::Test {
 protected:
  View() : view_(kube_, "perf", clock_) { view_.add_controller("c1"); }

  // Both kinds listed and watched.
  void begin(std::vector<Piece> jobs, std::vector<Piece> pods) {
    kube_.answers = {list_of("Job", "10", job("kp-1", "9")), list_of("Pod", "11")};
    kube_.streams = {std::move(jobs), std::move(pods)};
    ASSERT_TRUE(view_.look(clock_.steady() + kSecond));
  }
  void look() {
    const auto looked = view_.look(clock_.steady() + kSecond);
    ASSERT_TRUE(looked) << looked.error().message;
  }

  FakeClock clock_;
  ScriptedKube kube_;
  KubeView view_;
};

TEST_F(View, ListsOnceAndThenWatchesFromThere) {
  begin({{event("MODIFIED", job("kp-1", "12", true)) + event("ADDED", job("kp-2", "13"))}}, {});
  EXPECT_FALSE(view_.job("kp-1")->complete);
  ASSERT_EQ(kube_.follows.size(), 2U);
  EXPECT_NE(kube_.follows[0].find("/apis/batch/v1/namespaces/perf/jobs?labelSelector="),
            std::string::npos);
  EXPECT_NE(kube_.follows[0].find("watch=1&allowWatchBookmarks=true"), std::string::npos);
  EXPECT_NE(kube_.follows[0].find("resourceVersion=10"), std::string::npos);
  EXPECT_NE(kube_.follows[1].find("resourceVersion=11"), std::string::npos);
  look();
  EXPECT_TRUE(view_.job("kp-1")->complete);
  EXPECT_NE(view_.job("kp-2"), nullptr);
  EXPECT_EQ(view_.lists(), 2);
}

TEST_F(View, AnEventMayComeInPiecesAndADeletedJobGoes) {
  const std::string gone = event("DELETED", job("kp-1", "12"));
  begin({{gone.substr(0, 20)}, {gone.substr(20)}}, {});
  look();
  EXPECT_NE(view_.job("kp-1"), nullptr);
  look();
  EXPECT_EQ(view_.job("kp-1"), nullptr);
}

TEST_F(View, AWatchThatEndsGoesOnFromTheLastBookmarkWithoutAList) {
  begin({{event("BOOKMARK", R"({"kind":"Job","metadata":{"resourceVersion":"99"}})"), 200, true}},
        {});
  kube_.streams = {{}};
  look();
  EXPECT_EQ(view_.lists(), 2);
  ASSERT_EQ(kube_.follows.size(), 3U);
  EXPECT_NE(kube_.follows[2].find("resourceVersion=99"), std::string::npos);
}

TEST_F(View, AnErrorUnder200EndsInAListAndAPauseBeforeTheNextWatch) {
  begin({{event("ERROR", R"({"kind":"Status","status":"Failure","code":410,"reason":"Expired"})")}},
        {});
  kube_.answers = {list_of("Job", "50", job("kp-3", "49"))};
  look();
  EXPECT_EQ(view_.lists(), 3);
  EXPECT_EQ(view_.job("kp-1"), nullptr) << "the list tells everything";
  EXPECT_NE(view_.job("kp-3"), nullptr);
  EXPECT_EQ(kube_.follows.size(), 2U) << "not at once: it may be broken for long";
  clock_.advance(10 * kSecond);
  kube_.answers = {list_of("Job", "51", job("kp-3", "49"))};
  kube_.streams = {{}};
  look();
  ASSERT_EQ(kube_.follows.size(), 3U);
  EXPECT_NE(kube_.follows[2].find("resourceVersion=51"), std::string::npos);
}

TEST_F(View, AStatus410AndABrokenStreamEndInAListToo) {
  begin({{"", 410}}, {{"", 200, false, true}});
  kube_.answers = {list_of("Job", "20", job("kp-1", "9")), list_of("Pod", "21")};
  look();
  EXPECT_EQ(view_.lists(), 4);
  EXPECT_NE(view_.job("kp-1"), nullptr);
}

TEST_F(View, AWatchThatHangsIsGivenUp) {
  begin({{"", 0}, {"", 0}}, {});
  look();
  EXPECT_EQ(view_.lists(), 2);
  clock_.advance(31 * kSecond);
  kube_.answers = {list_of("Job", "20")};
  look();
  EXPECT_EQ(view_.lists(), 3) << "no answer for half a minute";
  clock_.advance(400 * kSecond);
  kube_.answers = {list_of("Job", "20"), list_of("Pod", "21")};
  look();
  EXPECT_EQ(view_.lists(), 5) << "the other should have ended long ago";
}

TEST_F(View, WhileNoWatchCanBeHadEveryLookIsAList) {
  kube_.answers = {list_of("Job", "10"), list_of("Pod", "11")};
  look();
  for (int i = 0; i < 3; ++i) {
    kube_.answers = {list_of("Job", "12", job("kp-1", "12")), list_of("Pod", "13")};
    look();
  }
  EXPECT_EQ(view_.lists(), 8);
  EXPECT_NE(view_.job("kp-1"), nullptr);
}

TEST_F(View, ALongListComesInPagesAndBeginsAnewWhenItHasExpired) {
  kube_.answers = {list_of("Job", "10", job("kp-1", "1"), "page2"),
                   {410, R"({"kind":"Status","code":410})"},
                   list_of("Job", "12", job("kp-2", "1"), "page2"),
                   list_of("Job", "12", job("kp-3", "1")),
                   list_of("Pod", "12")};
  look();
  EXPECT_NE(kube_.calls[1].find("continue=page2"), std::string::npos);
  EXPECT_EQ(kube_.calls[2].find("continue="), std::string::npos);
  EXPECT_EQ(view_.job("kp-1"), nullptr);
  EXPECT_NE(view_.job("kp-3"), nullptr);
}

TEST_F(View, ARefusedListIsAnErrorThatNamesIt) {
  kube_.answers = {{403, R"({"kind":"Status","code":403,"message":"jobs.batch is forbidden"})"}};
  const auto looked = view_.look(clock_.steady() + kSecond);
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().code, ErrorCode::permission);
  EXPECT_FALSE(looked.error().retryable);
  EXPECT_NE(looked.error().message.find("list jobs in namespace perf"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint
