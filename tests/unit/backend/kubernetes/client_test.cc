// SPDX-License-Identifier: Apache-2.0
//
// The client against a real socket, the clock and the pauses in the test's hand.
#include "orchestrator/backend/kubernetes/client.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <deque>
#include <fstream>
#include <map>
#include <mutex>

#include "tests/fakes/fake_clock.h"
#include "tests/fakes/http_server.h"

namespace kneepoint {
namespace {

const KubePlace kJobs{"batch/v1", "jobs", "perf", "", ""};

std::string status(int code, const std::string& reason, const std::string& message) {
  return FakeHttpServer::reply(code, R"({"kind":"Status","status":"Failure","code":)" +
                                         std::to_string(code) + R"(,"reason":")" + reason +
                                         R"(","message":")" + message + "\"}");
}

std::string too_many(const std::string& retry_after) {
  const std::string body = "Too many requests, please try again later.\n";
  return "HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\n" + retry_after +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class Client : public testing::Test {
 protected:
  // Answers in their order, the last one again and again.
  void serve(std::deque<std::string> answers) {
    server_ = std::make_unique<FakeHttpServer>(
        [answers = std::move(answers)](const FakeHttpRequest&) mutable {
          const std::string answer = answers.front();
          if (answers.size() > 1) answers.pop_front();
          return answer;
        });
    access_.server = server_->url();
  }
  void make() {
    auto made = KubeClient::make(access_, clock_, [this](Nanoseconds pause) -> Result<void> {
      pauses_.push_back(pause);
      clock_.advance(pause);
      return {};
    });
    ASSERT_TRUE(made);
    client_ = std::move(*made);
  }
  Result<KubeAnswer> call(Nanoseconds within = 20 * kSecond) {
    if (!client_) make();
    return client_->call("GET", kJobs, "", clock_.steady() + within);
  }
  Error refusal(const std::string& answer) {
    serve({answer});
    client_.reset();
    const auto got = call();
    return got ? kube_refusal(*got, "create", kJobs) : got.error();
  }
  std::string sent(std::size_t index) const { return server_->requests().at(index).head; }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = testing::TempDir() + "kube-client-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() + name;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    return path;
  }
  std::string write_program(const std::string& text) const {
    const std::string path = write("-plugin", "#!/bin/sh\n" + text);
    ::chmod(path.c_str(), 0755);
    return path;
  }

  FakeClock clock_;
  KubeAccess access_;
  std::vector<Nanoseconds> pauses_;
  std::unique_ptr<FakeHttpServer> server_;
  std::unique_ptr<KubeClient> client_;
};

TEST_F(Client, SendsItsTokenAndAsksForJson) {
  access_.token = "t0ken";
  serve({FakeHttpServer::reply(200, "{}")});
  const auto got = call();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(got->good());
  EXPECT_NE(sent(0).find("GET /apis/batch/v1/namespaces/perf/jobs HTTP"), std::string::npos);
  EXPECT_NE(sent(0).find("Authorization: Bearer t0ken"), std::string::npos);
  EXPECT_NE(sent(0).find("Accept: application/json"), std::string::npos);
}

TEST_F(Client, GoesThroughTheProxyThatTheKubeconfigNames) {
  serve({FakeHttpServer::reply(200, "{}")});
  access_.proxy_url = server_->url();
  access_.server = "http://api.invalid:6443";  // which nobody but the proxy could know
  const auto got = call();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(
      sent(0).starts_with("GET http://api.invalid:6443/apis/batch/v1/namespaces/perf/jobs HTTP"))
      << sent(0);
}

TEST_F(Client, ATokenFileIsReadAgainEachMinute) {
  access_.token = "old";
  access_.token_file = write("-token", "first\n");
  serve({FakeHttpServer::reply(200, "{}")});
  ASSERT_TRUE(call());
  write("-token", "second\n");
  ASSERT_TRUE(call());
  clock_.advance(61 * kSecond);
  ASSERT_TRUE(call());
  EXPECT_NE(sent(0).find("Bearer first\r"), std::string::npos) << "the file goes before the token";
  EXPECT_NE(sent(1).find("Bearer first\r"), std::string::npos);
  EXPECT_NE(sent(2).find("Bearer second\r"), std::string::npos);
}

TEST_F(Client, A401RenewsOnceAndIsThenAnAnswer) {
  access_.token_file = write("-token", "first");
  serve({FakeHttpServer::reply(200, "{}"), status(401, "Unauthorized", "Unauthorized"),
         FakeHttpServer::reply(200, "{}"), status(401, "Unauthorized", "Unauthorized")});
  ASSERT_TRUE(call());
  write("-token", "second");
  auto got = call();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 200);
  EXPECT_NE(sent(1).find("Bearer first\r"), std::string::npos);
  EXPECT_NE(sent(2).find("Bearer second\r"), std::string::npos);
  got = call();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 401);
  EXPECT_EQ(server_->requests().size(), 5U) << "once with what we had, once renewed";
}

TEST_F(Client, A401WithAFixedTokenIsAnAnswerAtOnce) {
  access_.token = "stale";
  serve({status(401, "Unauthorized", "Unauthorized")});
  const auto got = call();
  ASSERT_TRUE(got);
  EXPECT_EQ(server_->requests().size(), 1U);
  const Error error = kube_refusal(*got, "list", kJobs);
  EXPECT_EQ(error.code, ErrorCode::permission);
  EXPECT_NE(error.message.find("expired"), std::string::npos) << error.message;
  EXPECT_EQ(error.message.find("stale"), std::string::npos);
}

TEST_F(Client, A429IsWaitedOutAsLongAsTheServerSays) {
  serve({too_many("Retry-After: 3\r\n"), too_many(""), too_many("Retry-After: 600\r\n"),
         FakeHttpServer::reply(200, "{}")});
  const auto got = call();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(pauses_, (std::vector<Nanoseconds>{3 * kSecond, kSecond, 5 * kSecond}));
}

TEST_F(Client, A429BeyondTheDeadlineIsAnAnswerToTryAgain) {
  serve({too_many("Retry-After: 4\r\n")});
  const auto got = call(10 * kSecond);
  ASSERT_TRUE(got);
  EXPECT_EQ(pauses_, (std::vector<Nanoseconds>{4 * kSecond, 4 * kSecond}));
  const Error error = kube_refusal(*got, "create", kJobs);
  EXPECT_TRUE(error.retryable);
  EXPECT_EQ(
      error.message,
      "create jobs in namespace perf: the API server is busy (429): Too many requests, please "
      "try again later.");
}

TEST_F(Client, OfSeveralCallsThoseThatWereRefusedForNowAreAskedAgain) {
  access_.token_file = write("-token", "first");
  std::mutex mutex;
  std::map<std::string, int> asked;
  const auto answer = [&](const FakeHttpRequest& request) {
    const std::lock_guard lock(mutex);
    const int times = ++asked[request.body];
    if (request.body == "tired" && times == 1) {
      write("-token", "second");
      return status(401, "Unauthorized", "Unauthorized");
    }
    if (request.body == "busy" && times <= 2) return too_many("Retry-After: 2\r\n");
    if (request.body == "bad") return status(422, "Invalid", "no");
    return FakeHttpServer::reply(201, request.body);
  };
  server_ = std::make_unique<FakeHttpServer>(answer);
  access_.server = server_->url();
  std::vector<KubeCall> calls;
  for (const char* body : {"one", "tired", "busy", "bad", "two"}) {
    calls.push_back({"POST", kJobs, body});
  }
  make();
  const auto answers = client_->call_all(calls, clock_.steady() + 20 * kSecond);
  ASSERT_EQ(answers.size(), 5U);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i]) << answers[i].error().message;
    EXPECT_EQ(answers[i]->status, i == 3 ? 422 : 201) << calls[i].body;
    if (i == 3) continue;
    EXPECT_EQ(answers[i]->body, calls[i].body);
  }
  EXPECT_EQ(asked, (std::map<std::string, int>{
                       {"bad", 1}, {"busy", 3}, {"one", 1}, {"tired", 2}, {"two", 1}}));
  EXPECT_EQ(pauses_, (std::vector<Nanoseconds>{2 * kSecond, 2 * kSecond}));
  EXPECT_NE(server_->requests().back().head.find("Bearer second\r"), std::string::npos);
}

TEST_F(Client, WithNobodyThereEveryCallSaysSo) {
  serve({FakeHttpServer::reply(200, "{}")});
  server_.reset();
  make();
  const std::vector<KubeCall> calls(20, KubeCall{"POST", kJobs, "{}"});
  for (const auto& answer : client_->call_all(calls, clock_.steady() + 20 * kSecond)) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::unavailable) << answer.error().message;
  }
}

TEST_F(Client, RefusalsAreOneSentenceWithVerbResourceAndNamespace) {
  Error error = refusal(status(403, "Forbidden", "jobs.batch is forbidden"));
  EXPECT_EQ(error.code, ErrorCode::permission);
  EXPECT_EQ(error.message,
            "create jobs in namespace perf: not allowed (403): jobs.batch is forbidden; the "
            "namespace may not exist, or its Role lacks the verb create on jobs");
  // What a policy of the cluster refuses stays refused, whoever asks.
  error = refusal(status(403, "Forbidden", "admission webhook 'sizes' denied the request: no"));
  EXPECT_EQ(error.code, ErrorCode::invalid);
  EXPECT_FALSE(error.retryable);
  EXPECT_EQ(error.message,
            "create jobs in namespace perf: refused (403): admission webhook 'sizes' denied the "
            "request: no");
  error = refusal(status(403, "Forbidden", "exceeded quota: few"));
  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_TRUE(error.retryable);
  error = refusal(status(404, "NotFound", "namespaces 'perf' not found"));
  EXPECT_EQ(error.code, ErrorCode::not_found);
  error = refusal(status(409, "AlreadyExists", "it is there"));
  EXPECT_EQ(error.code, ErrorCode::exists);
  error = refusal(status(409, "Conflict", "it changed"));
  EXPECT_EQ(error.code, ErrorCode::conflict);
  for (const int code : {400, 410, 415, 422}) {
    error = refusal(status(code, "Bad", "no"));
    EXPECT_EQ(error.code, ErrorCode::invalid) << code;
    EXPECT_FALSE(error.retryable) << code;
    EXPECT_EQ(error.message,
              "create jobs in namespace perf: refused (" + std::to_string(code) + "): no");
  }
  for (const int code : {500, 502, 503, 504}) {
    error = refusal(FakeHttpServer::reply(code, "etcdserver: request timed out", "text/plain"));
    EXPECT_EQ(error.code, ErrorCode::unavailable) << code;
    EXPECT_TRUE(error.retryable) << code;
    EXPECT_NE(error.message.find("etcdserver: request timed out"), std::string::npos);
  }
}

TEST_F(Client, TheCausesOfA422AreNamedOnce) {
  const Error error = refusal(FakeHttpServer::reply(
      422,
      R"({"kind":"Status","code":422,"reason":"Invalid","message":"Job is invalid: a: must be 1",)"
      R"("details":{"causes":[{"field":"a","message":"must be 1"},)"
      R"({"field":"spec.b","message":"must be\nless than 2"}]}})"));
  EXPECT_EQ(error.message,
            "create jobs in namespace perf: refused (422): Job is invalid: a: must be 1; spec.b: "
            "must be less than 2");
}

TEST_F(Client, APluginIsAskedAgainWhenItsAnswerExpires) {
  const std::string count = write("-count", "");
  access_.exec.command = write_program(
      "echo x >> \"$COUNT\"\n"
      "echo \"$KUBERNETES_EXEC_INFO\" | grep -q '\"interactive\":false' || exit 3\n"
      "n=$(grep -c x \"$COUNT\")\n"
      "echo \"{\\\"status\\\":{\\\"token\\\":\\\"$PREFIX-$n\\\",\"\n"
      "echo \"\\\"expirationTimestamp\\\":\\\"$1\\\"}}\"\n");
  access_.exec.environment = {{"PREFIX", "tok"}, {"COUNT", count}};
  access_.exec.arguments = {"2027-01-15T08:10:00Z"};
  clock_.set(parse_kube_time("2027-01-15T08:00:00Z"));
  serve({FakeHttpServer::reply(200, "{}")});
  ASSERT_TRUE(call());
  clock_.advance(9 * kMinute);
  ASSERT_TRUE(call());
  clock_.advance(kMinute);
  ASSERT_TRUE(call());
  EXPECT_NE(sent(0).find("Bearer tok-1\r"), std::string::npos) << sent(0);
  EXPECT_NE(sent(1).find("Bearer tok-1\r"), std::string::npos) << sent(1);
  EXPECT_NE(sent(2).find("Bearer tok-2\r"), std::string::npos) << sent(2);
}

TEST_F(Client, APluginLearnsOfTheClusterOnlyIfItWants) {
  access_.ca_pem = "";
  access_.exec.provide_cluster_info = true;
  access_.exec.api_version = "client.authentication.k8s.io/v1beta1";
  access_.exec.command = write_program(
      R"(case "$KUBERNETES_EXEC_INFO" in *v1beta1*'"server":"http'*) ;; *) exit 4 ;; esac
echo '{"status":{"token":"fine"}}')");
  serve({FakeHttpServer::reply(200, "{}")});
  const auto got = call();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_NE(sent(0).find("Bearer fine\r"), std::string::npos);
}

TEST_F(Client, APluginThatFailsIsNamedAndNotQuoted) {
  serve({FakeHttpServer::reply(200, "{}")});
  access_.exec.command = write_program("echo s3cret; echo s3cret >&2; exit 7\n");
  auto got = call();
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("ended with status 7"), std::string::npos);
  EXPECT_TRUE(got.error().retryable) << "somebody may log in again";
  EXPECT_EQ(got.error().message.find("s3cret"), std::string::npos);
  access_.exec.command = "/nowhere/login";
  access_.exec.install_hint = "install it from the wiki";
  client_.reset();
  got = call();
  ASSERT_FALSE(got);
  EXPECT_EQ(
      got.error().message,
      "the credential plug-in '/nowhere/login' of the kubeconfig is not installed: install it "
      "from the wiki");
}

TEST(KubeExec, AnAnswerHasATokenOrACertificateWithItsKey) {
  EXPECT_FALSE(read_kube_exec("no json"));
  EXPECT_FALSE(read_kube_exec(R"({"status":{}})"));
  EXPECT_FALSE(read_kube_exec(R"({"status":{"clientCertificateData":"c"}})"));
  const auto both =
      read_kube_exec(R"({"status":{"clientCertificateData":"c","clientKeyData":"k"}})");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->key_pem, "k");
  EXPECT_EQ(both->expires, 0);
}

}  // namespace
}  // namespace kneepoint
