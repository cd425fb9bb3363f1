// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 signatures with keys in PEM files, as `openssl genpkey -algorithm ed25519` writes them.
// OpenSSL stays inside signature.cc. No key is ever made, stored or printed here.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct Signature {
  std::string bytes;       // 64, raw
  std::string public_key;  // PEM
};

// Keys with a password are refused: nobody is asked.
Result<Signature> sign_ed25519(const std::string& private_key, std::string_view message);

// ErrorCode::invalid where the key can't be read; false where the signature is another's.
Result<bool> is_signed_by(const std::string& public_key, std::string_view message,
                          std::string_view signature);

// "SHA256:1f0c..." of the public key (DER, SubjectPublicKeyInfo), whatever PEM it stood in. Takes
// the PEM of a public key.
Result<std::string> key_fingerprint(const std::string& public_key);

}  // namespace kneepoint
