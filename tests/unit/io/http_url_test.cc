// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/io/http_client.h"

#include <gtest/gtest.h>

namespace kneepoint {
namespace {

TEST(HttpUrl, HostPortAndPrefixAreTakenApart) {
  const HttpUrl plain = parse_http_url("http://login1:6820").value();
  EXPECT_EQ(plain.kind, HttpUrl::Kind::http);
  EXPECT_EQ(plain.host, "login1");
  EXPECT_EQ(plain.port, 6820);
  EXPECT_EQ(plain.path, "");
  const HttpUrl secure = parse_http_url("https://slurm.example.org/rest/").value();
  EXPECT_EQ(secure.kind, HttpUrl::Kind::https);
  EXPECT_EQ(secure.port, 443);
  EXPECT_EQ(secure.path, "/rest");
  EXPECT_EQ(base_of(secure), "https://slurm.example.org/rest");
  const HttpUrl six = parse_http_url("http://[::1]:80").value();
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(base_of(six), "http://[::1]");
}

TEST(HttpUrl, ASocketIsAPathOfThisMachine) {
  for (const char* text : {"unix:/run/slurmrestd.sock", "unix:///run/slurmrestd.sock"}) {
    const HttpUrl url = parse_http_url(text).value();
    EXPECT_EQ(url.kind, HttpUrl::Kind::unix_socket);
    EXPECT_EQ(url.socket, "/run/slurmrestd.sock");
    EXPECT_TRUE(url.is_here());
    EXPECT_EQ(to_string(url), "unix:/run/slurmrestd.sock");
  }
}

TEST(HttpUrl, WhatIsNoAddressIsRefusedWithTheFormsThatAre) {
  for (const char* text : {"", "login1:6820", "ftp://x", "http://", "http://:80", "http://h:0",
                           "http://h:65536", "http://h:80x", "http://h?x=1", "http://h#x",
                           "unix:run/sock", "http://[::1", "http://a b", "http://h\r\nX: y"}) {
    const auto url = parse_http_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::invalid);
    EXPECT_NE(url.error().message.find("expected http://HOST:PORT"), std::string::npos) << text;
  }
}

TEST(HttpUrl, ASecretInAnAddressIsRefusedAndNotRepeated) {
  const auto url = parse_http_url("https://me:hunter2@host");
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().message.find("hunter2"), std::string::npos);
}

TEST(HttpUrl, EscapingLeavesNothingThatMeansSomething) {
  EXPECT_EQ(url_escaped("a-b_c.d~9"), "a-b_c.d~9");
  EXPECT_EQ(url_escaped("a/b?c d&\xC3\xA9"), "a%2Fb%3Fc%20d%26%C3%A9");
}

}  // namespace
}  // namespace kneepoint
