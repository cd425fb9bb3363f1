// SPDX-License-Identifier: Apache-2.0
//
// Requests cut anywhere, and what is refused with which status.
#include "orchestrator/server/http/message.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

const std::string kGood =
    "POST /v1/allocations/kp-1/r1-a1/records?x=1 HTTP/1.1\r\nHost: here\r\n"
    "Authorization: Bearer abc\r\ncontent-length:  12 \r\n\r\n";

int status_of(const std::string& text) {
  const HttpHead head = read_http_head(text);
  return head.state == HttpHead::State::refused ? head.status : 0;
}

std::string with(const std::string& header) {
  return "POST / HTTP/1.1\r\n" + header + "\r\n\r\n";
}

TEST(IncomingRequest, IsReadOnceItsHeadIsWhole) {
  for (std::size_t cut = 0; cut < kGood.size(); ++cut) {
    EXPECT_EQ(read_http_head(kGood.substr(0, cut)).state, HttpHead::State::unfinished) << cut;
  }
  const HttpHead head = read_http_head(kGood + "body");
  ASSERT_EQ(head.state, HttpHead::State::complete);
  EXPECT_EQ(head.size, kGood.size());
  EXPECT_EQ(head.request.method, "POST");
  EXPECT_EQ(head.request.path, "/v1/allocations/kp-1/r1-a1/records");
  EXPECT_EQ(head.request.authorization, "Bearer abc");
  EXPECT_TRUE(head.request.has_length);
  EXPECT_EQ(head.request.length, 12U);
  EXPECT_TRUE(head.request.keep_alive);
  EXPECT_FALSE(read_http_head("GET / HTTP/1.0\r\n\r\n").request.keep_alive);
  EXPECT_FALSE(read_http_head(with("Connection: Close")).request.keep_alive);
  EXPECT_TRUE(read_http_head(with("Expect: 100-Continue")).request.expects_continue);
}

TEST(IncomingRequest, WhatCouldBeReadInTwoWaysIsRefused) {
  EXPECT_EQ(status_of(with("Content-Length: 1\r\nContent-Length: 2")), 400);
  EXPECT_EQ(status_of(with("Content-Length: -1")), 400);
  EXPECT_EQ(status_of(with("Content-Length: 1x")), 400);
  EXPECT_EQ(status_of(with("Content-Length: 99999999999999999999999")), 413);
  EXPECT_EQ(status_of(with("Transfer-Encoding: chunked")), 501);
  EXPECT_EQ(status_of(with("Authorization: a\r\nAuthorization: b")), 400);
  EXPECT_EQ(status_of(with(" folded: line")), 400);
  EXPECT_EQ(status_of(with("no colon")), 400);
  EXPECT_EQ(status_of(with("Expect: the unexpected")), 417);
  EXPECT_EQ(status_of("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET nowhere HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(status_of("\x16\x03\x01 / HTTP/1.1\r\n\r\n"), 400);
}

TEST(IncomingRequest, AHeadWithoutEndIsRefusedBeforeItTakesMemory) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n" + std::string(kMostHttpHead, 'a')), 431);
  EXPECT_EQ(status_of(with("A: " + std::string(kMostHttpHead, 'a'))), 431);
}

TEST(IncomingRequest, AnswersSayTheirLengthAndWhetherTheConnectionEnds) {
  HttpReply reply;
  reply.status = 204;
  const std::string kept = reply_bytes(reply, {});
  EXPECT_TRUE(kept.starts_with("HTTP/1.1 204 No Content\r\nContent-Security-Policy: ")) << kept;
  EXPECT_EQ(kept.find("Content-Length"), std::string::npos) << "there is no content";
  EXPECT_EQ(kept.find("Connection: "), std::string::npos);
  reply = error_reply(405, "by POST");
  reply.headers.emplace_back("Allow", "POST");
  const std::string ended = reply_bytes(reply, {false});
  EXPECT_TRUE(
      ended.starts_with("HTTP/1.1 405 Method Not Allowed\r\nContent-Type: "
                        "application/json\r\nContent-Length: " +
                        std::to_string(reply.body.size()) + "\r\n"))
      << ended;
  EXPECT_TRUE(ended.ends_with("Allow: POST\r\nConnection: close\r\n\r\n" + reply.body)) << ended;
  EXPECT_NE(reply.body.find("by POST"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint
