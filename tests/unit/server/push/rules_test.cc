// SPDX-License-Identifier: Apache-2.0
//
// Who may push what where.
#include "orchestrator/server/push/server.h"

#include <gtest/gtest.h>

#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

const std::string kKey(32, 'k');

IncomingRequest good() {
  IncomingRequest request;
  request.method = "POST";
  request.path = "/v1/allocations/kp-1/r1-a1/records";
  request.authorization = "Bearer " + push_token(kKey, "kp-1");
  request.has_length = true;
  request.length = 100;
  return request;
}

TEST(PushRules, AGoodPushIsWanted) {
  const PushVerdict verdict = judge_push(good(), kKey);
  EXPECT_EQ(verdict.status, 0);
  EXPECT_EQ(verdict.allocation, "kp-1");
  EXPECT_EQ(verdict.attempt, "r1-a1");
}

TEST(PushRules, ATokenIsForOneAllocationOfOneKey) {
  EXPECT_EQ(push_token(kKey, "kp-1").size(), 64U);
  EXPECT_NE(push_token(kKey, "kp-1"), push_token(kKey, "kp-2"));
  EXPECT_NE(push_token(kKey, "kp-1"), push_token(std::string(32, 'l'), "kp-1"));
  IncomingRequest request = good();
  request.path = "/v1/allocations/kp-2/r1-a1/records";
  const PushVerdict verdict = judge_push(request, kKey);
  EXPECT_EQ(verdict.status, 401);
  EXPECT_TRUE(verdict.wrong_token);
  EXPECT_EQ(verdict.allocation, "kp-2");
  EXPECT_EQ(verdict.why.find(push_token(kKey, "kp-1")), std::string::npos);
  for (const char* header : {"", "Bearer", "Bearer ", "Basic abc", "Bearer 0"}) {
    request = good();
    request.authorization = header;
    EXPECT_EQ(judge_push(request, kKey).status, 401) << header;
  }
}

TEST(PushRules, OtherPathsMethodsAndSizesHaveTheirStatus) {
  for (const char* path :
       {"/", "/v1/allocations/kp-1/r1-a1", "/v1/allocations/kp-1/records",
        "/v1/allocations/kp-1/r1-a1/records/", "/v1/allocations/../r1/records",
        "/v1/allocations/a%2fb/r1-a1/records", "/v2/allocations/kp-1/r/records"}) {
    IncomingRequest request = good();
    request.path = path;
    const int status = judge_push(request, kKey).status;
    EXPECT_TRUE(status == 404 ||
                (status == 401 && std::string(path).find("..") != std::string::npos))
        << path << ": " << status;
  }
  IncomingRequest request = good();
  request.method = "GET";
  EXPECT_EQ(judge_push(request, kKey).status, 405);
  request = good();
  request.has_length = false;
  EXPECT_EQ(judge_push(request, kKey).status, 411);
  request = good();
  request.length = kMostPushBytes + 1;
  EXPECT_EQ(judge_push(request, kKey).status, 413);
  EXPECT_EQ(judge_push_body("a line\n"), 0);
  EXPECT_EQ(judge_push_body("half a li"), 400);
  EXPECT_EQ(judge_push_body(""), 400);
}

TEST(PushRules, TheKeyedHashIsThatOfTheStandard) {
  // RFC 4231, test case 2.
  EXPECT_EQ(hex_of_bytes(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace kneepoint
