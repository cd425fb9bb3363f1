// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/pack/pack.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kMostKeyBytes = 1 << 16;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Text = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Error refused(const std::string& what) {
  ERR_clear_error();
  return Error{ErrorCode::invalid, what};
}

Text text_of(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free_all};
}

// Asked for a password, it has none.
int no_password(char*, int, int, void*) {
  return -1;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

bool is_ed25519(const Key& key) {
  return key && EVP_PKEY_get_id(key.get()) == EVP_PKEY_ED25519;
}

Result<Key> public_key_of(const std::string& pem) {
  if (pem.size() > kMostKeyBytes) return refused("the key's file is too large");
  const Text text = text_of(pem);
  Key key(PEM_read_bio_PUBKEY(text.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  if (!is_ed25519(key)) {
    return refused("no Ed25519 public key in PEM; 'openssl pkey -in KEY -pubout' writes one");
  }
  return key;
}

}  // namespace

Result<Signature> sign_ed25519(const std::string& private_key, std::string_view message) {
  if (private_key.size() > kMostKeyBytes) return refused("the key's file is too large");
  const Text text = text_of(private_key);
  const Key key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  if (!is_ed25519(key)) {
    return refused(
        "no Ed25519 private key in PEM without a password; 'openssl genpkey -algorithm ed25519' "
        "makes one");
  }
  Signature out;
  out.bytes.resize(kSignatureBytes);
  std::size_t size = out.bytes.size();
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.bytes.data()), &size,
                     bytes_of(message), message.size()) != 1 ||
      size != kSignatureBytes) {
    return refused("the signature could not be made");
  }
  const Text pem(BIO_new(BIO_s_mem()), BIO_free_all);
  char* data = nullptr;
  if (!pem || PEM_write_bio_PUBKEY(pem.get(), key.get()) != 1) {
    return refused("the public key could not be written");
  }
  const long length = BIO_get_mem_data(pem.get(), &data);
  out.public_key.assign(data, static_cast<std::size_t>(length));
  return out;
}

Result<bool> is_signed_by(const std::string& public_key, std::string_view message,
                          std::string_view signature) {
  TRY_ASSIGN(const Key key, public_key_of(public_key));
  if (signature.size() != kSignatureBytes) return false;
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) {
    return refused("the signature could not be checked");
  }
  const int good = EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(),
                                    bytes_of(message), message.size());
  ERR_clear_error();
  return good == 1;
}

Result<std::string> key_fingerprint(const std::string& public_key) {
  TRY_ASSIGN(const Key key, public_key_of(public_key));
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key.get(), &der);
  if (size <= 0) return refused("the public key could not be written");
  const std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return "SHA256:" + sha256_hex(bytes);
}

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
