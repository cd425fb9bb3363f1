// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/access_rules.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace kneepoint {
namespace {

const AccessRules kRules{"0123456789abcdef0123", {"Perf.example.org"}};

TEST(AccessRules, AddressesAndNamesThatWereAllowedAreOurs) {
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:7878", "[::1]:7878", "[::1]", "10.1.2.3:80", "localhost",
        "LOCALHOST:1", "perf.example.org", "PERF.example.org:443"}) {
    EXPECT_TRUE(is_our_host(host, kRules)) << host;
  }
}

TEST(AccessRules, NamesOfOthersAreNot) {
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "perf.example.org.evil.example",
        "127.0.0.1.evil.example", "localhost:x", "localhost:123456", "[::1", "[::1]x",
        "[::1]:", "perf.example.org@evil.example", ":80", "user@localhost"}) {
    EXPECT_FALSE(is_our_host(host, kRules)) << host;
  }
}

TEST(AccessRules, OnlyTheWholeTokenIsRight) {
  EXPECT_EQ(token_state("Bearer 0123456789abcdef0123", kRules), TokenState::right);
  for (const char* header :
       {"Bearer ", "Bearer 0123456789abcdef012", "Bearer 0123456789abcdef01234",
        "Bearer 0123456789abcdef012x", "Bearer  0123456789abcdef0123"}) {
    EXPECT_EQ(token_state(header, kRules), TokenState::wrong) << header;
  }
  for (const char* header : {"", "Basic 0123456789abcdef0123", "bearer 0123456789abcdef0123"}) {
    EXPECT_EQ(token_state(header, kRules), TokenState::missing) << header;
  }
}

TEST(AccessRules, WithoutATokenNoneIsRight) {
  EXPECT_EQ(token_state("Bearer ", AccessRules{}), TokenState::wrong);
  EXPECT_EQ(token_state("Bearer x", AccessRules{}), TokenState::wrong);
}

TEST(AccessRules, LoopbackIsToldFromTheRest) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "example.org", "12.7.0.0"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

class TokenFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text, mode_t mode) const {
    const std::string path = folder_ + "/token";
    std::filesystem::remove(path);
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  TokenFile() {
    std::string name = (std::filesystem::temp_directory_path() / "kp-token-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~TokenFile() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(TokenFile, OneLineIsReadWithoutItsEnd) {
  const auto token = read_token_file(write("0123456789abcdef\n", 0600));
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(*token, "0123456789abcdef");
  EXPECT_TRUE(read_token_file(write("0123456789abcdef\r\n", 0440))) << "as a pod's Secret has it";
}

TEST_F(TokenFile, OneThatOthersCanReadIsRefusedWithoutItsContent) {
  for (const mode_t mode : {0644U, 0604U, 0620U, 0602U}) {
    const auto token = read_token_file(write("0123456789abcdef\n", mode));
    ASSERT_FALSE(token) << mode;
    EXPECT_EQ(token.error().code, ErrorCode::permission);
    EXPECT_EQ(token.error().message.find("0123456789"), std::string::npos);
  }
}

TEST_F(TokenFile, ShortOnesBlanksAndMissingFilesAreRefused) {
  for (const char* text : {"", "short\n", "0123456789 abcdef\n", "0123456789abcdef\nsecond\n"}) {
    const auto token = read_token_file(write(text, 0600));
    ASSERT_FALSE(token) << text;
    EXPECT_NE(token.error().message.find("openssl rand -hex 32"), std::string::npos);
  }
  EXPECT_FALSE(read_token_file(folder_ + "/none"));
}

}  // namespace
}  // namespace kneepoint
