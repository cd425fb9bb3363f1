// SPDX-License-Identifier: Apache-2.0
//
// An evidence pack: named parts, a list of their SHA-256 and perhaps a signature of that list, in
// one tar that coreutils and openssl can check too (docs/decisions/0019-evidence-pack.md). Pure. A
// pack that opens is whole: every byte of it was checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/pack/tar.h"

namespace kneepoint {

// Ed25519 signatures with keys in PEM files, as `openssl genpkey -algorithm ed25519` writes them.
// OpenSSL stays inside pack.cc. No key is ever made, stored or printed here.
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

inline constexpr char kPackSums[] = "SHA256SUMS";
inline constexpr char kPackSignature[] = "SHA256SUMS.sig";
inline constexpr char kPackSigner[] = "signer.pem";
inline constexpr int kMostPackMiB = 512;

struct Pack {
  std::vector<TarMember> parts;  // without the three above, in the order of the file
  std::string digest;            // sha256 of the list of sums: the name of the whole
  std::string signer;            // fingerprint of the key that signed; "": nobody did
  std::string signer_key;        // PEM

  const std::string* part(std::string_view name) const;  // nullptr: there is none
};

// `private_key` "": not signed. The same parts and key give the same bytes.
Result<std::string> write_pack(const std::vector<TarMember>& parts, const std::string& private_key);

// `trusted_key`: the pack must be signed by it (a public key in PEM); none: any signature that fits
// its own key will do, and a pack without one too.
Result<Pack> open_pack(std::string_view bytes, const std::optional<std::string>& trusted_key);

bool looks_like_pack(std::string_view bytes);

// "signed by SHA256:...", or that it is not: what every answer about a pack says.
std::string signature_words(const Pack& pack, bool trusted);

}  // namespace kneepoint
