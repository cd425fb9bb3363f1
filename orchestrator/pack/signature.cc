// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/pack/signature.h"

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

}  // namespace kneepoint
