// SPDX-License-Identifier: Apache-2.0
//
// The record endpoint over real TLS on loopback: what it acknowledges is on disk, what it refuses
// is refused with the right status, and nobody who is slow or wrong keeps it from the others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "orchestrator/server/http/certificate.h"
#include "orchestrator/server/push/endpoint.h"
#include "orchestrator/store/push_spool.h"
#include "tests/fakes/push_caller.h"

namespace kneepoint {
namespace {

using testing_support::PushCaller;
using testing_support::PushTrust;

class PushServerTest : public ::testing::Test {
 protected:
  PushServerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "kp-endpoint-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    open();
  }
  ~PushServerTest() override {
    endpoint_.reset();
    std::filesystem::remove_all(folder_);
  }

  void open() {
    auto opened = PushEndpoint::open(site_, folder_ + "/push", "study", system_clock());
    ASSERT_TRUE(opened) << opened.error().message;
    endpoint_ = std::move(*opened);
    if (!trust_) trust_ = std::make_unique<PushTrust>(token_of("kp-1").ca);
    port_ = std::stoi(endpoint_->url().substr(endpoint_->url().rfind(':') + 1));
  }

  PushTarget token_of(const std::string& name) const { return endpoint_->target(name); }

  std::string spooled() const {
    std::string text;
    SpoolReader reader(folder_ + "/push/study");
    const auto pushes = reader.take(64 << 20);
    for (const Push& push : pushes.value()) {
      text += push.allocation + "/" + push.attempt + ":" + push.lines;
    }
    return text;
  }

  std::string folder_;
  PushSite site_;
  std::unique_ptr<PushEndpoint> endpoint_;
  std::unique_ptr<PushTrust> trust_;
  int port_ = 0;
};

TEST_F(PushServerTest, WhatIsAcknowledgedIsOnDiskManyTimesOverOneConnection) {
  PushCaller caller(*trust_, port_);
  const std::string token = token_of("kp-1").token;
  EXPECT_EQ(caller.push("kp-1", "r1-a1", token, "one\n"), 204);
  EXPECT_EQ(spooled(), "kp-1/r1-a1:one\n");
  EXPECT_EQ(caller.push("kp-1", "r2-a1", token, "two\nthree\n"), 204);
  EXPECT_EQ(caller.push("kp-1", "r1-a1", token, std::string(1 << 19, 'x') + "\n"), 204);
  EXPECT_TRUE(spooled().starts_with("kp-1/r1-a1:one\nkp-1/r2-a1:two\nthree\nkp-1/r1-a1:xxx"));
  // An answer is counted once it is out: by the time of a further one, those before it are.
  EXPECT_EQ(caller.push("kp-1", "r1-a1", "wrong", "four\n"), 401);
  EXPECT_EQ(endpoint_->stats().pushes, 3U);
  EXPECT_EQ(endpoint_->stats().accepted, 1U);
}

TEST_F(PushServerTest, SeveralRequestsInOneBreathAreAnsweredInTurn) {
  PushCaller caller(*trust_, port_);
  const std::string one =
      "POST /v1/allocations/kp-1/r1-a1/records HTTP/1.1\r\nAuthorization: Bearer " +
      token_of("kp-1").token + "\r\nContent-Length: 2\r\n\r\na\n";
  ASSERT_TRUE(caller.send(one + one + one));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(caller.answer(), 204);
  EXPECT_EQ(spooled(), "kp-1/r1-a1:a\nkp-1/r1-a1:a\nkp-1/r1-a1:a\n");
}

TEST_F(PushServerTest, EachAnswerCountsAlsoWhenTwoAreGivenInOneTurn) {
  const std::string head =
      "POST /v1/allocations/kp-1/r1-a1/records HTTP/1.1\r\nAuthorization: Bearer ";
  const std::string body = "\r\nContent-Length: 2\r\n\r\na\n";
  PushCaller caller(*trust_, port_);
  ASSERT_TRUE(caller.send(head + token_of("kp-1").token + body + head + "wrong" + body));
  EXPECT_EQ(caller.answer(), 204);
  EXPECT_EQ(caller.answer(), 401);
  PushCaller next(*trust_, port_);  // by the time of its answer those before it are counted
  EXPECT_EQ(next.push("kp-1", "r1-a1", "wrong", "b\n"), 401);
  EXPECT_EQ(endpoint_->stats().pushes, 1U);
  EXPECT_GE(endpoint_->stats().refused, 1U);
}

TEST_F(PushServerTest, AWrongTokenIsRefusedAndToldByTheAllocationsName) {
  const std::string other = token_of("kp-2").token;
  PushCaller caller(*trust_, port_);
  EXPECT_EQ(caller.push("kp-1", "r1-a1", other, "one\n"), 401);
  EXPECT_EQ(caller.push("kp-1", "r1-a1", "", "one\n"), 401);
  EXPECT_EQ(caller.push("kp-1", "r1-a1", token_of("kp-1").token, "two\n"), 204);
  EXPECT_EQ(spooled(), "kp-1/r1-a1:two\n");
  const auto news = endpoint_->news();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0], "2 pushes for kp-1 refused: wrong token");
  EXPECT_EQ(news[0].find(other), std::string::npos);
  EXPECT_TRUE(endpoint_->news().empty());
}

TEST_F(PushServerTest, OtherRequestsHaveTheirStatus) {
  const std::string token = "Authorization: Bearer " + token_of("kp-1").token + "\r\n";
  const std::string path = " /v1/allocations/kp-1/r1-a1/records HTTP/1.1\r\n";
  const auto status = [&](const std::string& request) {
    PushCaller caller(*trust_, port_);
    EXPECT_TRUE(caller.send(request));
    return caller.answer();
  };
  EXPECT_EQ(status("GET" + path + token + "\r\n"), 405);
  EXPECT_EQ(status("POST / HTTP/1.1\r\n" + token + "\r\n"), 404);
  EXPECT_EQ(status("POST" + path + token + "\r\n"), 411);
  EXPECT_EQ(status("POST" + path + token + "Content-Length: 2000000\r\n\r\n"), 413);
  EXPECT_EQ(status("POST" + path + token + "Content-Length: 3\r\n\r\nabc"), 400);
  EXPECT_EQ(status("POST" + path + token + "Transfer-Encoding: chunked\r\n\r\n"), 501);
  EXPECT_EQ(status("what is this\r\n\r\n"), 400);
  EXPECT_EQ(status("POST" + path + std::string(9000, 'a')), 431);
  EXPECT_EQ(status("POST" + path + token + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\na\n"),
            204);
  EXPECT_EQ(spooled(), "kp-1/r1-a1:a\n");
  EXPECT_EQ(endpoint_->stats().refused, 8U);
}

TEST_F(PushServerTest, SlowAndBrokenClientsDontKeepItFromTheOthers) {
  std::vector<std::unique_ptr<PushCaller>> slow;
  for (int i = 0; i < 50; ++i) {
    slow.push_back(std::make_unique<PushCaller>(*trust_, port_));
    ASSERT_TRUE(slow.back()->send("POST /v1/alloc"));  // and no more
  }
  const std::string token = token_of("kp-1").token;
  for (int i = 0; i < 20; ++i) {
    PushCaller half(*trust_, port_);  // ends in the middle of its body
    ASSERT_TRUE(
        half.send("POST /v1/allocations/kp-1/r1-a1/records HTTP/1.1\r\nAuthorization: Bearer " +
                  token + "\r\nContent-Length: 100\r\n\r\nhalf"));
  }
  PushCaller caller(*trust_, port_);
  EXPECT_EQ(caller.push("kp-1", "r1-a1", token, "one\n"), 204);
  EXPECT_EQ(spooled(), "kp-1/r1-a1:one\n");
}

TEST_F(PushServerTest, StartedAgainItHasTheSamePortKeyAndCertificate) {
  PushCaller caller(*trust_, port_);
  const PushTarget before = token_of("kp-1");
  EXPECT_EQ(caller.push("kp-1", "r1-a1", before.token, "one\n"), 204);
  endpoint_.reset();
  caller.close();
  EXPECT_EQ(caller.push("kp-1", "r1-a1", before.token, "two\n"), 0) << "nobody listens";
  open();
  const PushTarget after = token_of("kp-1");
  EXPECT_EQ(after.url, before.url);
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.ca, before.ca);
  EXPECT_EQ(caller.push("kp-1", "r1-a1", before.token, "two\n"), 204);
  EXPECT_EQ(spooled(), "kp-1/r1-a1:one\nkp-1/r1-a1:two\n");
}

TEST_F(PushServerTest, ItsFilesAreForTheirOwnerAlone) {
  namespace fs = std::filesystem;
  const auto others = fs::perms::group_all | fs::perms::others_all;
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/push")) {
    EXPECT_EQ(entry.status().permissions() & others, fs::perms::none) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);  // key, identity, the study's folder and its spool
  // A key that others can read is no secret.
  endpoint_.reset();
  fs::permissions(folder_ + "/push/key", fs::perms::others_read, fs::perm_options::add);
  const auto refused = PushEndpoint::open(site_, folder_ + "/push", "study", system_clock());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("can be read by others"), std::string::npos);
}

TEST_F(PushServerTest, APortThatIsTakenIsSaidToBe) {
  PushSite second = site_;
  second.listen_port = port_;
  const auto refused = PushEndpoint::open(second, folder_ + "/push", "other", system_clock());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_NE(refused.error().message.find(std::to_string(port_)), std::string::npos);
}

TEST_F(PushServerTest, ManyAtOnceAreAllKept) {
  constexpr int kThreads = 8, kEach = 40;
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string name = "kp-" + std::to_string(t);
      PushCaller caller(*trust_, port_);
      const std::string token = token_of(name).token;
      for (int i = 0; i < kEach; ++i) {
        good += caller.push(name, "r1-a1", token, std::to_string(i) + "\n") == 204 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kThreads * kEach);
  SpoolReader reader(folder_ + "/push/study");
  EXPECT_EQ(reader.take(64 << 20)->size(), static_cast<std::size_t>(kThreads * kEach));
}

}  // namespace
}  // namespace kneepoint
