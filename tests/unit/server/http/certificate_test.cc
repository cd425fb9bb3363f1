// SPDX-License-Identifier: Apache-2.0
//
// Certificates of our own making: for whom, how long, and whether TLS takes them.
#include "orchestrator/server/http/certificate.h"

#include <gtest/gtest.h>

#include "orchestrator/server/http/sockets.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kNow = 1'800'000'000 * kSecond;
constexpr Nanoseconds kYear = 365 * 24 * kHour;

TEST(Certificate, IsForItsHostsAndForYears) {
  const auto made = make_identity({"controller.example", "127.0.0.1", "::1"}, kNow);
  ASSERT_TRUE(made) << made.error().message;
  for (const char* host : {"controller.example", "127.0.0.1", "::1"}) {
    EXPECT_TRUE(is_good_for(made->certificate, host, kNow)) << host;
  }
  EXPECT_FALSE(is_good_for(made->certificate, "other.example", kNow));
  EXPECT_FALSE(is_good_for(made->certificate, "127.0.0.2", kNow));
  EXPECT_TRUE(is_good_for(made->certificate, "127.0.0.1", kNow + 9 * kYear));
  EXPECT_FALSE(is_good_for(made->certificate, "127.0.0.1", kNow + 11 * kYear));
  EXPECT_FALSE(is_good_for("no certificate", "127.0.0.1", kNow));
  EXPECT_TRUE(TlsContext::make(made->certificate, made->key));
}

TEST(Certificate, WhatDoesNotFitTogetherIsRefusedInWords) {
  const auto one = make_identity({"a"}, kNow);
  const auto two = make_identity({"a"}, kNow);
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->key, two->key);
  for (const auto& [certificate, key] : {std::pair{one->certificate, two->key},
                                         {std::string("x"), one->key},
                                         {one->certificate, std::string("x")}}) {
    const auto refused = TlsContext::make(certificate, key);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("the "), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace kneepoint
