// SPDX-License-Identifier: Apache-2.0
//
// The REST transport against a server that answers as slurmrestd 22.05 does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/backend/slurm/transport.h"
#include "tests/fakes/http_server.h"

namespace kneepoint {
namespace {

// {"exp":9999999999,"sun":"me"} and {"exp":1000000000,"sun":"me"}
constexpr const char* kGoodToken = "x.eyJleHAiOjk5OTk5OTk5OTksInN1biI6Im1lIn0.s";
constexpr const char* kOldToken = "x.eyJleHAiOjEwMDAwMDAwMDAsInN1biI6Im1lIn0.s";

std::string recorded_answer(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(KP_SOURCE_DIR "/tests/golden/slurm_rest/" + name).rdbuf();
  return text.str();
}

class SlurmRestTest : public ::testing::Test {
 protected:
  SlurmRestTest() : server_([this](const FakeHttpRequest& request) { return answer(request); }) {
    std::string folder = testing::TempDir() + "kp_rest_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    write_token(kGoodToken);
    site_.backend = BackendKind::slurm;
    site_.slurm.transport = "rest";
    site_.slurm.rest.url = server_.url();
    site_.slurm.rest.token_file = folder_ + "/token";
    make();
  }
  ~SlurmRestTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void make() { transport_ = make_slurm_rest({site_, system_clock(), poller_, "/agent"}); }

  void write_token(const std::string& token) const {
    std::ofstream(folder_ + "/token") << token << "\n";
  }

  std::string answer(const FakeHttpRequest& request) const {
    const auto has = [&](const char* part) { return request.path.find(part) != std::string::npos; };
    if (has("/openapi")) return FakeHttpServer::reply(200, openapi_);
    if (special_) {
      const std::string text = special_(request);
      if (text != "usual") return text;
    }
    if (has("/ping"))
      return FakeHttpServer::reply(200, R"({"meta":{"Slurm":{"release":"22.05.8"}},"errors":[]})");
    if (has("/slurmdb/") && has("/jobs")) {
      return FakeHttpServer::reply(200, recorded_answer("v0.0.38-history.json"));
    }
    if (has("/clusters")) return FakeHttpServer::reply(200, R"({"errors":[],"clusters":[]})");
    if (has("/partitions"))
      return FakeHttpServer::reply(200, recorded_answer("v0.0.38-partitions.json"));
    if (has("/nodes")) return FakeHttpServer::reply(200, recorded_answer("v0.0.38-nodes.json"));
    if (has("/jobs")) return FakeHttpServer::reply(200, recorded_answer("v0.0.38-jobs.json"));
    if (has("/job/submit")) {
      return FakeHttpServer::reply(200, R"({"errors":[],"job_id":17,"step_id":"BATCH"})");
    }
    if (request.method == "DELETE") return FakeHttpServer::reply(200, R"({"errors":[]})");
    return FakeHttpServer::reply(404, "Unable find requested URL.", "text/plain");
  }

  static Deadline soon() { return system_clock().steady() + kMinute; }

  static SlurmSubmission job() {
    SlurmSubmission job;
    job.name = "kp-1";
    job.directory = "/w";
    job.script = "#!/bin/sh\n";
    job.limit = kMinute;
    return job;
  }

  std::string openapi_ = R"({"paths":{"\/slurm\/v0.0.38\/jobs":{},"\/slurmdb\/v0.0.38\/jobs":{}}})";
  std::function<std::string(const FakeHttpRequest&)> special_;
  FakeHttpServer server_;
  std::string folder_;
  Site site_;
  Poller poller_;
  std::unique_ptr<SlurmTransport> transport_;
};

TEST_F(SlurmRestTest, TheClusterIsDescribedWithItsVersionAndPartition) {
  const auto cluster = transport_->cluster(soon());
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->version, "22.05.8");
  EXPECT_EQ(cluster->partition, "batch");
  EXPECT_EQ(cluster->nodes, 4);
  EXPECT_TRUE(cluster->has_accounting);
  const auto seen = server_.requests();
  ASSERT_FALSE(seen.empty());
  EXPECT_NE(seen[0].head.find("X-SLURM-USER-NAME: me"), std::string::npos)
      << "the user is the token's";
  EXPECT_NE(seen[0].head.find("X-SLURM-USER-TOKEN: "), std::string::npos);
}

TEST_F(SlurmRestTest, ASubmissionGivesItsIdAndARemarkIsNoRefusal) {
  const SlurmSubmission one = job();
  EXPECT_EQ(transport_->submit({&one, 1}, soon()).at(0).value(), "17");
  special_ = [](const FakeHttpRequest& request) -> std::string {
    if (request.method != "POST") return "usual";
    return FakeHttpServer::reply(
        200, R"({"errors":[{"error_code":2042,"error":"Job is in held state"}],"job_id":3})");
  };
  EXPECT_EQ(transport_->submit({&one, 1}, soon()).at(0).value(), "3");
}

TEST_F(SlurmRestTest, A200WithErrorsAndWithoutAnIdIsAnError) {
  special_ = [](const FakeHttpRequest& request) -> std::string {
    if (request.method != "POST") return "usual";
    return FakeHttpServer::reply(
        200, R"({"errors":[{"error_code":2000,"error":"Invalid partition name specified"}]})");
  };
  const SlurmSubmission one = job();
  const auto answer = transport_->submit({&one, 1}, soon()).at(0);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::invalid);
  EXPECT_FALSE(answer.error().retryable);
  EXPECT_NE(answer.error().message.find("Invalid partition name specified"), std::string::npos);
  EXPECT_NE(answer.error().message.find("slurm.partition"), std::string::npos)
      << answer.error().message;
}

TEST_F(SlurmRestTest, ASubmissionThatBreaksOffMayHaveArrived) {
  special_ = [](const FakeHttpRequest& request) -> std::string {
    return request.method == "POST" ? "" : "usual";
  };
  const SlurmSubmission one = job();
  const auto answer = transport_->submit({&one, 1}, soon()).at(0);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::timeout);
}

TEST_F(SlurmRestTest, AnExpiredTokenIsOneClearSentence) {
  write_token(kOldToken);
  const auto cluster = transport_->cluster(soon());
  ASSERT_FALSE(cluster);
  EXPECT_EQ(cluster.error().code, ErrorCode::permission);
  EXPECT_NE(cluster.error().message.find("expired at 2001-09-09"), std::string::npos)
      << cluster.error().message;
  EXPECT_NE(cluster.error().message.find("scontrol token"), std::string::npos);
  EXPECT_EQ(cluster.error().message.find(kOldToken), std::string::npos);
  EXPECT_TRUE(server_.requests().empty());
  const SlurmSubmission one = job();
  EXPECT_TRUE(transport_->submit({&one, 1}, soon()).at(0).error().retryable)
      << "no run is to fail of it";
  std::filesystem::remove(folder_ + "/token");
  EXPECT_TRUE(transport_->list(soon()).error().retryable) << "somebody is renewing it";
  write_token(kGoodToken);
  EXPECT_TRUE(transport_->cluster(soon())) << "a renewed file is enough";
}

TEST_F(SlurmRestTest, AProxyThatHasNobodyBehindItRefusesNothingForGood) {
  int status = 503;
  special_ = [&](const FakeHttpRequest& request) -> std::string {
    if (request.method != "POST") return "usual";
    return FakeHttpServer::reply(status, "<html>upstream</html>", "text/html");
  };
  const SlurmSubmission one = job();
  for (status = 502; status <= 504; ++status) {
    const auto answer = transport_->submit({&one, 1}, soon()).at(0);
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().retryable) << answer.error().message;
    EXPECT_EQ(answer.error().code, status == 503 ? ErrorCode::unavailable : ErrorCode::timeout)
        << "it may have arrived: " << answer.error().message;
    EXPECT_NE(answer.error().message.find(std::to_string(status)), std::string::npos);
  }
}

TEST_F(SlurmRestTest, ATokenThatIsNotAcceptedIsSaidSo) {
  special_ = [](const FakeHttpRequest&) {
    return FakeHttpServer::reply(401, "Authentication failure", "text/plain");
  };
  const auto cluster = transport_->cluster(soon());
  ASSERT_FALSE(cluster);
  EXPECT_EQ(cluster.error().code, ErrorCode::unavailable);
  EXPECT_NE(cluster.error().message.find("Authentication failure"), std::string::npos);
  EXPECT_NE(cluster.error().message.find("scontrol token"), std::string::npos);
}

TEST_F(SlurmRestTest, AnAnswerWithoutJobsIsNeverTakenForAnEmptyQueue) {
  special_ = [](const FakeHttpRequest& request) -> std::string {
    if (request.path.find("/jobs") == std::string::npos) return "usual";
    return FakeHttpServer::reply(
        500,
        R"({"errors":[{"description":"Failed while looking for jobs","error_number":-1,"error":"Unspecified error"}],"jobs":[]})");
  };
  EXPECT_FALSE(transport_->list(soon()));
}

TEST_F(SlurmRestTest, AQuestionThatBreaksOffIsAskedOnceMore) {
  // The first break is of the connection that was kept, which libcurl itself makes anew; the second
  // is of a fresh one.
  int breaks = 2;
  special_ = [&](const FakeHttpRequest& request) -> std::string {
    return request.path.find("/jobs") != std::string::npos && breaks-- > 0 ? "" : "usual";
  };
  EXPECT_TRUE(transport_->list(soon()));
  breaks = 100;
  const auto broken = transport_->list(soon());
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::io);
  EXPECT_TRUE(broken.error().retryable);
}

TEST_F(SlurmRestTest, HistoryAsksByNameAndTime) {
  ASSERT_TRUE(transport_->cluster(soon()));
  const auto jobs = transport_->history({"kp-h", "kp-x"}, kSecond, soon());
  ASSERT_TRUE(jobs) << jobs.error().message;
  EXPECT_GE(jobs->size(), 3U);
  const auto seen = server_.requests();
  EXPECT_NE(seen.back().path.find("start_time=uts1&job_name=kp-h%2Ckp-x"), std::string::npos)
      << seen.back().path;
}

TEST_F(SlurmRestTest, HistoryOfManyNamesStillFitsIntoARequest) {
  ASSERT_TRUE(transport_->cluster(soon()));
  const std::vector<std::string> names(1'000, "kp-0a1b2c3d-1-1000-a1");
  ASSERT_TRUE(transport_->history(names, 0, soon()));
  const std::string path = server_.requests().back().path;
  EXPECT_LT(path.size(), 4'000U);
  EXPECT_EQ(path.find("job_name"), std::string::npos) << path;
}

TEST_F(SlurmRestTest, WithoutAccountingHistoryIsUnsupported) {
  openapi_ = R"({"paths":{"\/slurm\/v0.0.38\/jobs":{}}})";
  ASSERT_TRUE(transport_->cluster(soon()));
  const auto jobs = transport_->history({"kp-h"}, 0, soon());
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().code, ErrorCode::unsupported);
}

TEST_F(SlurmRestTest, CancellingWhatIsGoneIsFine) {
  special_ = [](const FakeHttpRequest& request) -> std::string {
    if (request.method != "DELETE") return "usual";
    return FakeHttpServer::reply(
        500, R"({"errors":[{"error_number":2017,"error":"Invalid job id specified"}]})");
  };
  const std::vector<std::string> ids = {"1", "2"};
  for (const auto& answer : transport_->cancel(ids, soon())) {
    EXPECT_TRUE(answer) << answer.error().message;
  }
}

TEST_F(SlurmRestTest, AnApiThatNobodyKnowsIsRefusedByName) {
  openapi_ = R"({"paths":{"\/slurm\/v0.0.99\/jobs":{}}})";
  const auto cluster = transport_->cluster(soon());
  ASSERT_FALSE(cluster);
  EXPECT_EQ(cluster.error().code, ErrorCode::unsupported);
  EXPECT_NE(cluster.error().message.find("v0.0.37 to v0.0."), std::string::npos)
      << cluster.error().message;
}

TEST_F(SlurmRestTest, ARehearsalRefusesWhatThePartitionWould) {
  SlurmSubmission large = job();
  EXPECT_TRUE(transport_->rehearse(large, soon()));
  large.nodes = 9;
  const auto refused = transport_->rehearse(large, soon());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("at most 4 nodes"), std::string::npos);
  site_.slurm.options = {"--switches=1"};
  make();
  EXPECT_EQ(transport_->rehearse(job(), soon()).error().code, ErrorCode::unsupported);
}

TEST_F(SlurmRestTest, PastTheDeadlineNothingIsAsked) {
  const SlurmSubmission one = job();
  const Deadline past = system_clock().steady() - 1;
  const auto submitted = transport_->submit({&one, 1}, past).at(0);
  EXPECT_EQ(submitted.error().code, ErrorCode::unavailable) << "it surely did not arrive";
  EXPECT_TRUE(submitted.error().retryable);
  EXPECT_EQ(transport_->list(past).error().code, ErrorCode::timeout);
  EXPECT_TRUE(server_.requests().empty());
}

}  // namespace
}  // namespace kneepoint
