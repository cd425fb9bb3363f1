// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 against RFC 8032, and keys that are none.
#include "orchestrator/pack/pack.h"

#include <gtest/gtest.h>

#include "tests/unit/pack/test_keys.h"

namespace kneepoint {
namespace {

using testing_support::kOtherPublicKey;
using testing_support::kPrivateKey;
using testing_support::kPublicKey;
using testing_support::pem;

TEST(Signature, IsThatOfRfc8032) {
  const auto made = sign_ed25519(kPrivateKey, "");  // test 1 signs the empty message
  ASSERT_TRUE(made) << made.error().message;
  std::string hex;
  for (const char c : made->bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c));
    hex += two;
  }
  EXPECT_EQ(hex,
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39"
            "701cf9b46bd25bf5f0595bbe24655141438e7a100b");
  EXPECT_EQ(made->public_key, kPublicKey);
}

TEST(Signature, FitsItsMessageAndItsKeyOnly) {
  const auto made = sign_ed25519(kPrivateKey, "message").value();
  EXPECT_TRUE(is_signed_by(kPublicKey, "message", made.bytes).value());
  EXPECT_FALSE(is_signed_by(kPublicKey, "Message", made.bytes).value());
  EXPECT_FALSE(is_signed_by(kOtherPublicKey, "message", made.bytes).value());
  EXPECT_FALSE(is_signed_by(kPublicKey, "message", "").value());
  EXPECT_FALSE(is_signed_by(kPublicKey, "message", made.bytes + "x").value());
}

TEST(Signature, WhatIsNoKeyIsRefused) {
  EXPECT_FALSE(sign_ed25519("", "x"));
  EXPECT_FALSE(sign_ed25519(kPublicKey, "x"));
  EXPECT_FALSE(sign_ed25519("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "x"));
  EXPECT_FALSE(is_signed_by("nonsense", "x", std::string(64, 'a')));
  EXPECT_FALSE(key_fingerprint(kPrivateKey));
  EXPECT_FALSE(key_fingerprint(std::string(1 << 20, 'a')));
}

TEST(Signature, AFingerprintIsOfTheKeyNotOfItsText) {
  const std::string one = key_fingerprint(kPublicKey).value();
  EXPECT_EQ(one.size(), 7U + 64U);
  EXPECT_EQ(one, key_fingerprint("a comment\n" + kPublicKey).value());
  EXPECT_NE(one, key_fingerprint(kOtherPublicKey).value());
}

}  // namespace
}  // namespace kneepoint
