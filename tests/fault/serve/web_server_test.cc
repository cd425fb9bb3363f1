// SPDX-License-Identifier: Apache-2.0
//
// Connections: limits of time by a clock that the test moves, limits of size, streams.
#include "orchestrator/server/http/web_server.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "orchestrator/server/http/certificate.h"
#include "orchestrator/server/http/sockets.h"
#include "tests/fakes/moving_clock.h"
#include "tests/fakes/push_caller.h"
#include "tests/fakes/web_caller.h"

namespace kneepoint {
namespace {

using testing_support::WebCaller;

// Says what it was asked; "/stream" opens one, "/held" is answered when the test says so.
class EchoApp : public WebApp {
 public:
  std::optional<HttpReply> refusal(const IncomingRequest& head) override {
    if (head.path == "/refused") return error_reply(403, "no");
    return std::nullopt;
  }
  WebAnswer answer(const WebRequest& request, std::size_t) override {
    if (request.head.path == "/stream") {
      HttpReply reply;
      reply.type = "text/event-stream";
      return {reply, frame("topic")};
    }
    if (request.head.path == "/held") {
      std::unique_lock lock(mutex);
      ++held;
      wake.notify_all();
      wake.wait(lock, [this] { return released; });
    }
    HttpReply reply;
    reply.body = request.head.method + " " + request.head.path + " " + request.body;
    return {reply, std::nullopt};
  }
  std::vector<TopicFrame> look(const std::vector<std::string>& topics) override {
    std::vector<TopicFrame> frames;
    for (const std::string& topic : topics) frames.push_back(frame(topic));
    const std::lock_guard lock(mutex);
    ++looks;
    wake.notify_all();
    return frames;
  }
  void change(const std::string& to, bool is_last = false) {
    const std::lock_guard lock(mutex);
    ++version;
    text = to;
    last = is_last;
  }
  void wait_for(const std::function<bool()>& is_so) {
    std::unique_lock lock(mutex);
    wake.wait(lock, is_so);
  }
  void release() {
    const std::lock_guard lock(mutex);
    released = true;
    wake.notify_all();
  }
  TopicFrame frame(const std::string& topic) {
    const std::lock_guard lock(mutex);
    return {topic, version, std::make_shared<const std::string>("data: " + text + "\n\n"), last};
  }

  std::mutex mutex;
  std::condition_variable wake;
  std::uint64_t version = 1;
  std::string text = "first";
  bool last = false, released = false;
  int held = 0, looks = 0;
};

class WebServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.sweep = kMillisecond;
    options_.look = kMillisecond;
  }
  void start(std::optional<TlsContext> context = std::nullopt) {
    auto started = WebServer::start(options_, std::move(context), app_, clock_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  // Whatever was sent before has been seen when another's question is answered.
  void let_it_be_read() const {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(WebCaller(server_->port()).ask("GET", "/a").status, 200);
  }
  // Time passes for the server only when the test lets it: here as fast as it can, so that a server
  // with little of a CPU has reason to keep its stream alive on the way.
  std::string read_while_time_passes(WebCaller& caller, const std::string& text) {
    std::string all;
    std::atomic<bool> done = false;
    std::thread pusher([&] {
      while (!done) {
        clock_.advance(kMillisecond);
        std::this_thread::yield();
      }
    });
    all = caller.read_until(text);
    done = true;
    pusher.join();
    const std::string alive = ": keep-alive\n\n";
    for (std::size_t at; (at = all.find(alive)) != std::string::npos;) all.erase(at, alive.size());
    return all;
  }

  EchoApp app_;
  MovingClock clock_;
  WebServerOptions options_;
  std::unique_ptr<WebServer> server_;
};

TEST_F(WebServerTest, ManyRequestsGoOverOneConnection) {
  start();
  WebCaller caller(server_->port());
  EXPECT_EQ(caller.ask("GET", "/a").body, "GET /a ");
  EXPECT_EQ(caller.ask("POST", "/b", "", "body").body, "POST /b body");
  const auto head = caller.ask("HEAD", "/a");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "8");
  ASSERT_TRUE(caller.send(WebCaller::request("GET", "/1", "", "") +
                          WebCaller::request("GET", "/2", "", "")));
  EXPECT_EQ(caller.answer().body, "GET /1 ");
  EXPECT_EQ(caller.answer().body, "GET /2 ");
  EXPECT_EQ(server_->stats().answers[200], 5U);
}

TEST_F(WebServerTest, EveryAnswerTellsBrowsersWhatNotToDo) {
  start();
  WebCaller caller(server_->port());
  for (const char* path : {"/a", "/refused"}) {
    const auto answer = caller.ask("GET", path);
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_NE(answer.header("Content-Security-Policy").find("default-src 'none'"),
              std::string::npos);
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    EXPECT_EQ(answer.header("Cross-Origin-Resource-Policy"), "same-origin");
  }
  EXPECT_EQ(caller.ask("GET", "/a").status, 200);  // by then the answer before it is counted
  EXPECT_EQ(server_->stats().answers[403], 1U);
}

TEST_F(WebServerTest, AHeadThatTricklesInIsGivenUpInTime) {
  start();
  WebCaller caller(server_->port());
  ASSERT_TRUE(caller.send("GET /a HTTP/1.1\r\nHost: x\r\n"));
  let_it_be_read();
  clock_.advance(6 * kSecond);
  ASSERT_TRUE(caller.send("X-More: "));  // bytes that come later buy no time
  clock_.advance(5 * kSecond);
  EXPECT_EQ(caller.answer().status, 408);
  EXPECT_EQ(WebCaller(server_->port()).ask("GET", "/a").status, 200) << "others are served";
}

TEST_F(WebServerTest, ABodyThatTricklesInIsGivenUpInTime) {
  start();
  WebCaller caller(server_->port());
  ASSERT_TRUE(caller.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"));
  let_it_be_read();
  clock_.advance(11 * kSecond);
  EXPECT_EQ(caller.answer().status, 408);
}

TEST_F(WebServerTest, AConnectionThatSaysNothingIsClosed) {
  start();
  WebCaller silent(server_->port());
  let_it_be_read();
  WebCaller idle(server_->port());
  EXPECT_EQ(idle.ask("GET", "/a").status, 200);
  clock_.advance(11 * kSecond);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_EQ(idle.ask("GET", "/a").status, 200) << "between requests there is a minute";
  clock_.advance(2 * kMinute);
  EXPECT_TRUE(idle.is_closed());
}

TEST_F(WebServerTest, TooLargeHeadsAndBodiesAreToldSo) {
  start();
  WebCaller head(server_->port());
  ASSERT_TRUE(head.send("GET /a HTTP/1.1\r\nHost: x\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"));
  EXPECT_EQ(head.answer().status, 431);
  WebCaller body(server_->port());
  ASSERT_TRUE(body.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n"));
  body.send(std::string(500000, 'x'));  // some of it comes before the answer is read
  EXPECT_EQ(body.answer().status, 413);
  WebCaller huge(server_->port());
  ASSERT_TRUE(
      huge.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n"));
  EXPECT_EQ(huge.answer().status, 413);
}

TEST_F(WebServerTest, WhatIsNotHttpIsRefused) {
  start();
  const std::pair<const char*, int> cases[] = {
      {"\x16\x03\x01\x02\r\n\r\n", 400},
      {"GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
      {"GET /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 501},
      {"GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET /a HTTP/3\r\nHost: x\r\n\r\n", 505},
      {"GET  /a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
  };
  for (const auto& [bytes, status] : cases) {
    WebCaller caller(server_->port());
    ASSERT_TRUE(caller.send(bytes));
    EXPECT_EQ(caller.answer().status, status) << bytes;
    EXPECT_TRUE(caller.is_closed());
  }
}

TEST_F(WebServerTest, ASlowQuestionStopsNobodyElse) {
  options_.workers = 2;
  start();
  WebCaller slow(server_->port());
  ASSERT_TRUE(slow.send(WebCaller::request("GET", "/held", "", "")));
  app_.wait_for([&] { return app_.held == 1; });
  EXPECT_EQ(WebCaller(server_->port()).ask("GET", "/a").status, 200);
  clock_.advance(kHour);  // whoever waits for us is not late
  EXPECT_EQ(WebCaller(server_->port()).ask("GET", "/a").status, 200);
  app_.release();
  EXPECT_EQ(slow.answer().body, "GET /held ");
}

TEST_F(WebServerTest, AnAnswerForAConnectionThatIsGoneGoesToNobody) {
  options_.workers = 2;
  start();
  {
    WebCaller gone(server_->port());
    ASSERT_TRUE(gone.send(WebCaller::request("GET", "/held", "", "")));
    app_.wait_for([&] { return app_.held == 1; });
  }
  WebCaller next(server_->port());
  EXPECT_EQ(next.ask("GET", "/a").body, "GET /a ");
  app_.release();
  EXPECT_EQ(next.ask("GET", "/b").body, "GET /b ");
}

TEST_F(WebServerTest, AStreamHasTheStateAtOnceEachChangeAndTheEnd) {
  start();
  WebCaller caller(server_->port());
  ASSERT_TRUE(caller.send(WebCaller::request("GET", "/stream", "", "")));
  EXPECT_EQ(caller.answer().header("Content-Type"), "text/event-stream");
  EXPECT_EQ(caller.read_until("\n\n"), "data: first\n\n");
  EXPECT_EQ(server_->stats().streams, 1U);
  app_.change("second");
  EXPECT_EQ(read_while_time_passes(caller, "second\n\n"), "data: second\n\n");
  app_.change("third", true);
  EXPECT_EQ(read_while_time_passes(caller, "third\n\n"), "data: third\n\n");
  EXPECT_TRUE(caller.is_closed());
}

TEST_F(WebServerTest, ASilentStreamIsKeptAlive) {
  start();
  WebCaller caller(server_->port());
  ASSERT_TRUE(caller.send(WebCaller::request("GET", "/stream", "", "")));
  caller.answer();
  EXPECT_EQ(caller.read_until("\n\n"), "data: first\n\n");
  clock_.advance(16 * kSecond);
  EXPECT_EQ(caller.read_until("\n\n"), ": keep-alive\n\n");
  clock_.advance(kHour);
  EXPECT_EQ(caller.read_until("\n\n"), ": keep-alive\n\n");
}

TEST_F(WebServerTest, MoreStreamsThanAllowedAreTurnedAway) {
  options_.streams = 1;
  start();
  WebCaller first(server_->port());
  ASSERT_TRUE(first.send(WebCaller::request("GET", "/stream", "", "")));
  EXPECT_EQ(first.answer().status, 200);
  WebCaller second(server_->port());
  EXPECT_EQ(second.ask("GET", "/stream").status, 429);
  EXPECT_EQ(second.ask("GET", "/a").status, 200) << "other questions are answered";
}

TEST_F(WebServerTest, MoreConnectionsThanAllowedAreClosedAndTheOthersServed) {
  options_.connections = 1;
  start();
  WebCaller first(server_->port());
  EXPECT_EQ(first.ask("GET", "/a").status, 200);
  EXPECT_TRUE(WebCaller(server_->port()).is_closed());
  EXPECT_EQ(first.ask("GET", "/a").status, 200);
}

TEST_F(WebServerTest, AnswersOverTls) {
  const auto identity = make_identity({"127.0.0.1"}, system_clock().wall());
  ASSERT_TRUE(identity);
  auto context = TlsContext::make(identity->certificate, identity->key);
  ASSERT_TRUE(context);
  start(std::move(*context));
  const testing_support::PushTrust trust(identity->certificate);
  testing_support::PushCaller caller(trust, server_->port());
  ASSERT_TRUE(caller.connect());
  ASSERT_TRUE(caller.send(WebCaller::request("GET", "/a", "", "")));
  EXPECT_EQ(caller.answer(), 200);
  WebCaller plain(server_->port());
  ASSERT_TRUE(plain.send(WebCaller::request("GET", "/a", "", "")));
  EXPECT_EQ(plain.answer().status, 0) << "no plain HTTP where TLS is";
}

}  // namespace
}  // namespace kneepoint
