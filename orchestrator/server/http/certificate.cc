// SPDX-License-Identifier: Apache-2.0
//
// Library calls only. P-256: a handshake costs a fraction of what RSA would, and thousands of
// agents may come within seconds.
#include "orchestrator/server/http/certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

#include "orchestrator/base/hash.h"
#include "orchestrator/server/http/sockets.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kDay = 24 * kHour;
constexpr Nanoseconds kValidFor = 10 * 365 * kDay;
constexpr std::size_t kSerialBytes = 16;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Text = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

Error refused(const std::string& what) {
  ERR_clear_error();
  return Error{ErrorCode::io, "make a certificate: " + what, false};
}

std::string content_of(BIO* text) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(text, &data);
  return {data, static_cast<std::size_t>(size)};
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  if (extension == nullptr) return false;
  const bool added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool set_times(X509* certificate, Nanoseconds wall) {
  const auto begin = static_cast<std::time_t>((wall - kDay) / kSecond);  // clocks differ
  const auto end = static_cast<std::time_t>((wall + kValidFor) / kSecond);
  return ASN1_TIME_set(X509_getm_notBefore(certificate), begin) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), end) != nullptr;
}

bool set_serial(X509* certificate) {
  std::string bytes = random_bytes(kSerialBytes);
  bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) & 0x7fU);
  BIGNUM* number = BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()),
                             static_cast<int>(bytes.size()), nullptr);
  const bool set = number != nullptr &&
                   BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  return set;
}

}  // namespace

Result<Identity> make_identity(const std::vector<std::string>& hosts, Nanoseconds wall) {
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const Certificate certificate(X509_new(), &X509_free);
  if (!key || !certificate) return refused("no key could be made");
  std::string names;
  for (const std::string& host : hosts) {
    names += (names.empty() ? "" : ",") + std::string(is_address(host) ? "IP:" : "DNS:") + host;
  }
  X509_set_version(certificate.get(), X509_VERSION_3);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto* common = reinterpret_cast<const unsigned char*>("kneepoint controller");
  if (!set_serial(certificate.get()) || !set_times(certificate.get(), wall) ||
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common, -1, -1, 0) != 1 ||
      X509_set_issuer_name(certificate.get(), name) != 1) {
    return refused("its fields could not be set");
  }
  if (!add_extension(certificate.get(), NID_subject_alt_name, names)) {
    return refused("'" + names + "' are no host names");
  }
  if (!add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE") ||
      X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) {
    return refused("it could not be signed");
  }
  const Text certificate_text(BIO_new(BIO_s_mem()), &BIO_free_all);
  const Text key_text(BIO_new(BIO_s_mem()), &BIO_free_all);
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return refused("it could not be written");
  }
  return Identity{content_of(certificate_text.get()), content_of(key_text.get())};
}

bool is_good_for(const std::string& certificate, const std::string& host, Nanoseconds wall) {
  const Text text(BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())),
                  &BIO_free_all);
  const Certificate own(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), &X509_free);
  ERR_clear_error();
  if (!own) return false;
  const bool is_for = is_address(host)
                          ? X509_check_ip_asc(own.get(), host.c_str(), 0) == 1
                          : X509_check_host(own.get(), host.c_str(), host.size(), 0, nullptr) == 1;
  std::time_t tomorrow = static_cast<std::time_t>((wall + kDay) / kSecond);
  return is_for && X509_cmp_time(X509_get0_notAfter(own.get()), &tomorrow) > 0;
}

}  // namespace kneepoint
