// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/pack/pack.h"

#include "orchestrator/base/hash.h"
#include "orchestrator/pack/signature.h"

namespace kneepoint {
namespace {

Error wrong(const std::string& what) {
  return Error{ErrorCode::invalid, what};
}

// As sha256sum prints them.
std::string sums_of(const std::vector<TarMember>& parts) {
  std::string text;
  for (const TarMember& part : parts) text += sha256_hex(part.bytes) + "  " + part.name + "\n";
  return text;
}

// Says which part it is, where that can be told.
Error mismatch(const std::vector<TarMember>& parts, const std::string& sums) {
  for (const TarMember& part : parts) {
    if (sums.find(sha256_hex(part.bytes) + "  " + part.name + "\n") == std::string::npos) {
      return wrong("damaged: " + part.name + " is not what " + kPackSums + " says");
    }
  }
  return wrong(std::string("damaged: ") + kPackSums + " does not list the parts that are there");
}

}  // namespace

const std::string* Pack::part(std::string_view name) const {
  for (const TarMember& one : parts) {
    if (one.name == name) return &one.bytes;
  }
  return nullptr;
}

Result<std::string> write_pack(const std::vector<TarMember>& parts,
                               const std::string& private_key) {
  const std::string sums = sums_of(parts);
  std::vector<TarMember> members = {{kPackSums, sums}};
  if (!private_key.empty()) {
    TRY_ASSIGN(const Signature signature, sign_ed25519(private_key, sums));
    members.push_back({kPackSignature, signature.bytes});
    members.push_back({kPackSigner, signature.public_key});
  }
  members.insert(members.end(), parts.begin(), parts.end());
  return write_tar(members);
}

bool looks_like_pack(std::string_view bytes) {
  return looks_like_tar(bytes) &&
         bytes.substr(0, sizeof kPackSums) == std::string_view(kPackSums, sizeof kPackSums);
}

Result<Pack> open_pack(std::string_view bytes, const std::optional<std::string>& trusted_key) {
  TRY_ASSIGN(std::vector<TarMember> members, read_tar(bytes));
  if (members.empty() || members.front().name != kPackSums) {
    return wrong(std::string("no evidence pack: its first part is not ") + kPackSums);
  }
  Pack pack;
  const std::string sums = members.front().bytes;
  std::size_t next = 1;
  std::string signature;
  if (next < members.size() && members[next].name == kPackSignature) {
    signature = members[next++].bytes;
    if (next == members.size() || members[next].name != kPackSigner) {
      return wrong(std::string("damaged: ") + kPackSigner + " is missing after " + kPackSignature);
    }
    pack.signer_key = members[next++].bytes;
  }
  pack.parts.assign(std::make_move_iterator(members.begin() + static_cast<std::ptrdiff_t>(next)),
                    std::make_move_iterator(members.end()));
  for (const TarMember& part : pack.parts) {
    if (part.name == kPackSigner || part.name == kPackSignature) {
      return wrong("damaged: " + part.name + " stands in the wrong place");
    }
  }
  if (sums != sums_of(pack.parts)) return mismatch(pack.parts, sums);
  pack.digest = sha256_hex(sums);
  if (!pack.signer_key.empty() || !signature.empty()) {
    auto good = is_signed_by(pack.signer_key, sums, signature);
    if (!good) return good.error().in(std::string("damaged: ") + kPackSigner);
    if (!*good) return wrong("the signature is not that of the key in the pack");
    TRY_ASSIGN(pack.signer, key_fingerprint(pack.signer_key));
  }
  if (trusted_key) {
    TRY_ASSIGN(const std::string wanted, key_fingerprint(*trusted_key));
    if (pack.signer.empty()) return wrong("not signed; expected the signature of " + wanted);
    if (pack.signer != wanted) {
      return wrong("signed by " + pack.signer + ", not by " + wanted);
    }
  }
  return pack;
}

std::string signature_words(const Pack& pack, bool trusted) {
  if (pack.signer.empty()) return "hashed, not signed: detects damage, not forgery";
  return "signed by " + pack.signer +
         (trusted ? ", the key that was asked for" : ", whose key that is, was not checked");
}

}  // namespace kneepoint
