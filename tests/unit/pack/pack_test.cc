// SPDX-License-Identifier: Apache-2.0
//
// A pack opens only as it was written: cut anywhere or changed in any byte it does not.
#include "orchestrator/pack/pack.h"

#include <gtest/gtest.h>

#include "orchestrator/base/hash.h"
#include "tests/unit/pack/test_keys.h"

namespace kneepoint {
namespace {

using testing_support::kOtherPublicKey;
using testing_support::kPrivateKey;
using testing_support::kPublicKey;

const std::vector<TarMember> kParts = {
    {"pack.json", "{\"format\": \"x\"}\n"}, {"plan.yaml", "study: a\n"}, {"data/runs.ndjson", ""}};

std::string packed(const std::string& key = "") {
  return write_pack(kParts, key).value();
}

TEST(Pack, HasItsPartsADigestAndNoSigner) {
  const auto pack = open_pack(packed(), std::nullopt);
  ASSERT_TRUE(pack) << pack.error().message;
  ASSERT_EQ(pack->parts.size(), 3U);
  EXPECT_EQ(*pack->part("plan.yaml"), "study: a\n");
  EXPECT_EQ(pack->part("none"), nullptr);
  EXPECT_EQ(pack->digest.size(), 64U);
  EXPECT_EQ(signature_words(*pack, false), "hashed, not signed: detects damage, not forgery");
  EXPECT_EQ(packed(), packed());
  EXPECT_TRUE(looks_like_pack(packed()));
  EXPECT_FALSE(looks_like_pack(write_tar(kParts)));
}

TEST(Pack, TheListIsThatOfSha256sum) {
  const auto members = read_tar(packed()).value();
  EXPECT_EQ(members.front().name, "SHA256SUMS");
  EXPECT_NE(members.front().bytes.find(sha256_hex("study: a\n") + "  plan.yaml\n"),
            std::string::npos);
  EXPECT_EQ(open_pack(packed(), std::nullopt)->digest, sha256_hex(members.front().bytes));
}

TEST(Pack, ASignatureIsOfTheKeyThatIsAskedFor) {
  const std::string bytes = packed(kPrivateKey);
  EXPECT_EQ(bytes, packed(kPrivateKey));
  const auto any = open_pack(bytes, std::nullopt);
  ASSERT_TRUE(any) << any.error().message;
  EXPECT_EQ(any->signer.rfind("SHA256:", 0), 0U);
  EXPECT_EQ(any->parts.size(), 3U);
  EXPECT_EQ(any->digest, open_pack(packed(), std::nullopt)->digest) << "signed or not, it is one";
  EXPECT_TRUE(open_pack(bytes, kPublicKey));
  EXPECT_NE(open_pack(bytes, kOtherPublicKey).error().message.find(", not by SHA256:"),
            std::string::npos);
  EXPECT_NE(open_pack(packed(), kPublicKey).error().message.find("not signed; expected"),
            std::string::npos);
  EXPECT_NE(signature_words(*any, false).find("was not checked"), std::string::npos);
}

TEST(Pack, AForgerWithoutTheKeyCantSign) {
  // Other parts under the list of before, and a signature taken from another pack.
  auto members = read_tar(packed(kPrivateKey)).value();
  members.back().bytes = "[1]\n";
  EXPECT_FALSE(open_pack(write_tar(members), std::nullopt));
  auto other = read_tar(write_pack({{"x", "y"}}, "").value()).value();
  other.insert(other.begin() + 1, {members[1], members[2]});
  EXPECT_NE(open_pack(write_tar(other), std::nullopt).error().message.find("not that of the key"),
            std::string::npos);
}

TEST(Pack, CutAnywhereItDoesNotOpen) {
  for (const std::string& bytes : {packed(), packed(kPrivateKey)}) {
    for (std::size_t size = 0; size < bytes.size(); size += size % 512 == 0 ? 1 : 37) {
      EXPECT_FALSE(open_pack(std::string_view(bytes).substr(0, size), std::nullopt)) << size;
    }
  }
}

TEST(Pack, ChangedInAnyByteItDoesNotOpen) {
  for (const std::string& bytes : {packed(), packed(kPrivateKey)}) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
      const auto opened = open_pack(changed, std::nullopt);
      if (opened) {
        // The public key's text may be written in another way and still be that key.
        EXPECT_EQ(opened->signer, open_pack(bytes, std::nullopt)->signer) << at;
        EXPECT_NE(opened->signer_key, kPublicKey) << at;
      }
    }
  }
}

TEST(Pack, PartsAddedTakenOrMovedAreSeen) {
  auto members = read_tar(packed()).value();
  auto added = members;
  added.push_back({"extra", "x"});
  EXPECT_NE(open_pack(write_tar(added), std::nullopt).error().message.find("extra"),
            std::string::npos);
  auto taken = members;
  taken.pop_back();
  EXPECT_FALSE(open_pack(write_tar(taken), std::nullopt));
  std::swap(members[1], members[2]);
  EXPECT_FALSE(open_pack(write_tar(members), std::nullopt));
}

}  // namespace

// Ed25519 against RFC 8032, and keys that are none.

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
