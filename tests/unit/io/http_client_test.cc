// SPDX-License-Identifier: Apache-2.0
//
// The client against real sockets.
#include "orchestrator/io/http_client.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "tests/fakes/http_server.h"

namespace kneepoint {
namespace {

Nanoseconds soon() {
  return system_clock().steady() + kMinute;
}

class HttpClientTest : public ::testing::Test {
 protected:
  HttpClientTest() {
    std::string folder = testing::TempDir() + "kp_http_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  ~HttpClientTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

  static std::unique_ptr<HttpClient> client(const HttpTarget& target) {
    auto made = HttpClient::make(target, system_clock());
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(made).value() : nullptr;
  }
  static std::unique_ptr<HttpClient> client(const std::string& url) {
    HttpTarget target;
    target.url = url;
    return client(target);
  }

  std::string folder_;
};

TEST_F(HttpClientTest, AnAnswerIsStatusTypeAndBody) {
  FakeHttpServer server([](const FakeHttpRequest& request) {
    return FakeHttpServer::reply(request.path == "/there" ? 200 : 404, "{\"a\":1}");
  });
  const auto asks = client(server.url());
  const auto there = asks->call({.path = "/there"}, soon());
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ(there->status, 200);
  EXPECT_EQ(there->body, "{\"a\":1}");
  const auto other = asks->call({.path = "/other"}, soon());
  ASSERT_TRUE(other) << "a status is an answer, not an error";
  EXPECT_EQ(other->status, 404);
  EXPECT_EQ(server.connections(), 1) << "the connection is kept";
}

TEST_F(HttpClientTest, WhatIsSentArrivesAsItIs) {
  FakeHttpServer server([](const FakeHttpRequest&) { return FakeHttpServer::reply(200, "ok"); });
  HttpRequest request;
  request.method = "POST";
  request.path = "/job/submit?x=1%202";
  request.headers = {{"Content-Type", "application/json"}, {"X-SLURM-USER-NAME", "me"}};
  request.body = std::string("{\"script\":\"a\0b\"}", 16) + std::string(100'000, 'y');
  const auto asks = client(server.url());
  ASSERT_TRUE(asks->call(request, soon()));
  request.method = "DELETE";
  request.body.clear();
  ASSERT_TRUE(asks->call(request, soon()));
  const auto seen = server.requests();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].method, "POST");
  EXPECT_EQ(seen[0].path, "/job/submit?x=1%202");
  EXPECT_EQ(seen[0].body.size(), 100'016U);
  EXPECT_NE(seen[0].head.find("X-SLURM-USER-NAME: me"), std::string::npos) << seen[0].head;
  EXPECT_EQ(seen[0].head.find("Expect"), std::string::npos) << seen[0].head;
  EXPECT_EQ(seen[1].method, "DELETE");
  EXPECT_EQ(seen[1].body, "");
}

TEST_F(HttpClientTest, ASocketOfThisMachineWorksTheSame) {
  FakeHttpServer server([](const FakeHttpRequest&) { return FakeHttpServer::reply(200, "here"); },
                        folder_ + "/s.sock");
  const auto answer = client(server.url())->call({.path = "/x"}, soon());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "here");
}

TEST_F(HttpClientTest, TheTokenIsReadAnewForEachCallAndTheFileMayEndInANewline) {
  FakeHttpServer server([](const FakeHttpRequest&) { return FakeHttpServer::reply(200, ""); });
  HttpTarget target;
  target.url = server.url();
  target.token.file = file("token", "first\n");
  const auto asks = client(target);
  ASSERT_TRUE(asks->call({}, soon()));
  file("token", "second");
  ASSERT_TRUE(asks->call({}, soon()));
  const auto seen = server.requests();
  EXPECT_NE(seen.at(0).head.find("Authorization: Bearer first\r\n"), std::string::npos);
  EXPECT_NE(seen.at(1).head.find("Authorization: Bearer second"), std::string::npos);
}

TEST_F(HttpClientTest, ATokenOfTheEnvironmentGoesUnderTheHeaderThatIsAsked) {
  FakeHttpServer server([](const FakeHttpRequest&) { return FakeHttpServer::reply(200, ""); });
  ::setenv("KP_TEST_TOKEN", "abc", 1);
  HttpTarget target;
  target.url = server.url();
  target.token.variable = "KP_TEST_TOKEN";
  target.token_header = "X-SLURM-USER-TOKEN";
  target.token_prefix = "";
  ASSERT_TRUE(client(target)->call({}, soon()));
  ::unsetenv("KP_TEST_TOKEN");
  EXPECT_NE(server.requests().at(0).head.find("X-SLURM-USER-TOKEN: abc"), std::string::npos);
}

TEST_F(HttpClientTest, AMissingOrStrangeTokenIsNamedByPlaceAndNeverShown) {
  EXPECT_NE(read_secret({"", "KP_NO_SUCH"}).error().message.find("KP_NO_SUCH is not set"),
            std::string::npos);
  EXPECT_NE(read_secret({folder_ + "/none", ""}).error().message.find("none"), std::string::npos);
  EXPECT_NE(read_secret({file("empty", " \n"), ""}).error().message.find("is empty"),
            std::string::npos);
  const auto two = read_secret({file("two", "hunter2\nhunter3"), ""});
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().message.find("hunter"), std::string::npos) << two.error().message;
  EXPECT_FALSE(read_secret({folder_, ""})) << "a folder is no token file";
  EXPECT_FALSE(read_secret({file("large", std::string(100'000, 'x')), ""}));
}

TEST_F(HttpClientTest, NobodyThereIsUnavailableAndSaysWhere) {
  std::string url;
  {
    FakeHttpServer server([](const FakeHttpRequest&) { return ""; });
    url = server.url();
  }
  const auto answer = client(url)->call({}, soon());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_NE(answer.error().message.find(url + " can't be reached"), std::string::npos)
      << answer.error().message;
  const auto socket = client("unix:" + folder_ + "/no.sock")->call({}, soon());
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, ErrorCode::unavailable) << socket.error().message;
}

TEST_F(HttpClientTest, AServerThatSaysNothingIsLeftAtTheDeadline) {
  std::promise<void> over;
  auto ended = over.get_future().share();
  FakeHttpServer server([ended](const FakeHttpRequest&) {
    ended.wait();
    return std::string();
  });
  const auto asks = client(server.url());
  const auto answer = asks->call({}, system_clock().steady() + 200 * kMillisecond);
  over.set_value();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::timeout);
  EXPECT_TRUE(answer.error().retryable);
  const auto late = asks->call({}, system_clock().steady() - 1);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
}

TEST_F(HttpClientTest, AnAnswerThatBreaksOffIsAnErrorAndNotHalfAnAnswer) {
  FakeHttpServer server([](const FakeHttpRequest& request) {
    if (request.path == "/none") return std::string();
    return std::string("HTTP/1.1 200 x\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf");
  });
  for (const char* path : {"/none", "/half"}) {
    const auto answer = client(server.url())->call({.path = path}, soon());
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().code, ErrorCode::io) << answer.error().message;
    EXPECT_TRUE(answer.error().retryable);
  }
}

TEST_F(HttpClientTest, AnAnswerOrHeadersWithoutEndAreRefused) {
  FakeHttpServer server([](const FakeHttpRequest& request) {
    if (request.path == "/body") return FakeHttpServer::reply(200, std::string(5000, 'x'));
    std::string head = "HTTP/1.1 200 x\r\n";
    for (int i = 0; i < 2000; ++i)
      head += "X-A" + std::to_string(i) + ": " + std::string(50, 'x') + "\r\n";
    return head + "Content-Length: 0\r\nConnection: close\r\n\r\n";
  });
  for (const char* path : {"/body", "/head"}) {
    HttpRequest request;
    request.path = path;
    request.most_bytes = 4000;
    const auto answer = client(server.url())->call(request, soon());
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().code, ErrorCode::corrupt) << answer.error().message;
  }
}

TEST_F(HttpClientTest, SeveralAreOnTheirWayAtOnceAndAnsweredInTheirOrder) {
  // The second one is answered only when others have been asked: the first has told us by then
  // which HTTP this is.
  FakeHttpServer* asked = nullptr;
  FakeHttpServer server([&](const FakeHttpRequest& request) {
    const Nanoseconds until = soon();
    while (request.path == "/1" && asked->requests().size() < 3) {
      if (system_clock().steady() > until) return FakeHttpServer::reply(500, "nobody else came");
      std::this_thread::yield();
    }
    if (request.path == "/7") return std::string();  // closed without a word
    return FakeHttpServer::reply(200, request.path + request.body);
  });
  asked = &server;
  std::vector<HttpRequest> requests(30);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].method = "POST";
    requests[i].path = "/" + std::to_string(i);
    requests[i].body = " body " + std::to_string(i);
  }
  const auto caller = client(server.url());
  for (int again = 0; again < 2; ++again) {
    const auto answers = caller->call_all(requests, soon());
    ASSERT_EQ(answers.size(), requests.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (i == 7) {
        EXPECT_FALSE(answers[i]);
        continue;
      }
      ASSERT_TRUE(answers[i]) << i << ": " << answers[i].error().message;
      EXPECT_EQ(answers[i]->status, 200) << answers[i]->body;
      EXPECT_EQ(answers[i]->body, requests[i].path + requests[i].body);
    }
  }
  EXPECT_LE(server.connections(), 20) << "a few at a time, over connections that are kept";
  EXPECT_TRUE(caller->call_all({}, soon()).empty());
}

TEST_F(HttpClientTest, OfSeveralEachHasItsOwnTroubleAndAllEndByTheDeadline) {
  FakeHttpServer server([](const FakeHttpRequest&) { return FakeHttpServer::reply(200, "yes"); });
  std::vector<HttpRequest> requests(3);
  requests[1].path = "no path";
  const auto caller = client(server.url());
  auto answers = caller->call_all(requests, soon());
  EXPECT_TRUE(answers[0]);
  ASSERT_FALSE(answers[1]);
  EXPECT_EQ(answers[1].error().code, ErrorCode::invalid);
  EXPECT_TRUE(answers[2]);
  answers = caller->call_all(requests, system_clock().steady() - 1);
  for (const auto& answer : answers) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::timeout);
  }
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST_F(HttpClientTest, AStreamThatHasSettledHasItsAnswerAtTheFirstPoll) {
  FakeHttpServer server([](const FakeHttpRequest& request) {
    return FakeHttpServer::reply(request.path == "/no" ? 404 : 200, "first line\n");
  });
  HttpTarget target;
  target.url = server.url();
  for (const std::string path : {"/yes", "/no"}) {
    HttpRequest request;
    request.path = path;
    auto stream = HttpStream::open(target, request);
    ASSERT_TRUE(stream) << stream.error().message;
    (*stream)->settle(kMinute);
    std::string data;
    const auto state = (*stream)->poll(data);
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(state->status, path == "/no" ? 404 : 200);
  }
  target.url = "http://127.0.0.1:1";
  auto nobody = HttpStream::open(target, HttpRequest{});
  ASSERT_TRUE(nobody) << nobody.error().message;
  (*nobody)->settle(kMinute);  // ends at once
  std::string data;
  EXPECT_FALSE((*nobody)->poll(data));
}

TEST_F(HttpClientTest, ARedirectIsAnAnswerAndTheTokenGoesNowhereElse) {
  FakeHttpServer other([](const FakeHttpRequest&) { return FakeHttpServer::reply(200, ""); });
  FakeHttpServer server([&](const FakeHttpRequest&) {
    return "HTTP/1.1 302 x\r\nLocation: " + other.url() + "/\r\nContent-Length: 0\r\n\r\n";
  });
  const auto answer = client(server.url())->call({}, soon());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(HttpClientTest, ControlCharactersNeverReachTheWire) {
  FakeHttpServer server([](const FakeHttpRequest&) { return FakeHttpServer::reply(200, ""); });
  const auto asks = client(server.url());
  HttpRequest request;
  request.headers = {{"X-A", "b\r\nX-Evil: 1"}};
  EXPECT_EQ(asks->call(request, soon()).error().code, ErrorCode::invalid);
  request.headers.clear();
  for (const char* path : {"no-slash", "/a b", "/a\r\nb"}) {
    request.path = path;
    EXPECT_EQ(asks->call(request, soon()).error().code, ErrorCode::invalid) << path;
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(HttpClientTest, AWrongAddressOrAMissingCertificateIsKnownBeforeTheFirstCall) {
  HttpTarget target;
  target.url = "login1:6820";
  EXPECT_EQ(HttpClient::make(target, system_clock()).error().code, ErrorCode::invalid);
  target.url = "https://127.0.0.1:1";
  target.ca_file = folder_ + "/ca.pem";
  const auto made = HttpClient::make(target, system_clock());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("ca.pem"), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace kneepoint
