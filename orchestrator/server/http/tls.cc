// SPDX-License-Identifier: Apache-2.0
//
// The handshake happens inside the first read. Buffers are given back while a connection is idle:
// thousands of agents keep one each.
#include "orchestrator/server/http/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace kneepoint {
namespace {

Error tls_error(const std::string& what) {
  const unsigned long code = ERR_get_error();
  const char* why = code != 0 ? ERR_reason_error_string(code) : nullptr;
  ERR_clear_error();
  return Error{ErrorCode::invalid, what + ": " + (why != nullptr ? why : "refused by OpenSSL"),
               false};
}

std::unique_ptr<BIO, decltype(&BIO_free_all)> text_of(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free_all};
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* handle) const {
  SSL_CTX_free(handle);
}

Result<TlsContext> TlsContext::make(const std::string& certificate, const std::string& key) {
  TlsContext context;
  context.handle_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* handle = context.handle();
  if (handle == nullptr) return tls_error("TLS");
  SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
  SSL_CTX_set_mode(handle, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                               SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_num_tickets(handle, 1);
  const auto certificates = text_of(certificate);
  const std::unique_ptr<X509, decltype(&X509_free)> own(
      PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr), &X509_free);
  if (!own || SSL_CTX_use_certificate(handle, own.get()) != 1) return tls_error("the certificate");
  while (X509* more = PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr)) {
    SSL_CTX_add0_chain_cert(handle, more);
  }
  ERR_clear_error();  // the end of the text
  const auto key_text = text_of(key);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> own_key(
      PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  if (!own_key || SSL_CTX_use_PrivateKey(handle, own_key.get()) != 1) return tls_error("the key");
  if (SSL_CTX_check_private_key(handle) != 1) {
    return tls_error("the key is not that of the certificate");
  }
  return context;
}

void Stream::Free::operator()(ssl_st* handle) const {
  SSL_free(handle);
}

Stream::Stream(const TlsContext* context, int fd) : is_plain_(context == nullptr), fd_(fd) {
  if (is_plain_) return;
  handle_.reset(SSL_new(context->handle()));
  if (!handle_) return;
  SSL_set_fd(handle_.get(), fd);
  SSL_set_accept_state(handle_.get());
}

Stream::~Stream() {
  if (handle_) SSL_shutdown(handle_.get());
  ERR_clear_error();
  ::close(fd_);
}

Stream::Status Stream::status_of(int result) {
  const int why = SSL_get_error(handle_.get(), result);
  ERR_clear_error();
  if (why == SSL_ERROR_WANT_READ) return Status::want_read;
  if (why == SSL_ERROR_WANT_WRITE) return Status::want_write;
  return Status::closed;
}

Stream::Status Stream::read(std::string& into, std::size_t most) {
  if (is_plain_) return receive(into, most);
  if (!handle_) return Status::closed;
  const std::size_t before = into.size();
  into.resize(before + most);
  const int n = SSL_read(handle_.get(), into.data() + before, static_cast<int>(most));
  into.resize(before + static_cast<std::size_t>(std::max(n, 0)));
  return n > 0 ? Status::done : status_of(n);
}

Stream::Status Stream::write(std::string_view& bytes) {
  if (is_plain_) return send(bytes);
  while (!bytes.empty()) {
    const std::size_t most =
        std::min<std::size_t>(bytes.size(), std::numeric_limits<int>::max() / 2);
    const int n = SSL_write(handle_.get(), bytes.data(), static_cast<int>(most));
    if (n <= 0) return status_of(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Status::done;
}

Stream::Status Stream::receive(std::string& into, std::size_t most) const {
  const std::size_t before = into.size();
  into.resize(before + most);
  ssize_t n = 0;
  do {
    n = ::recv(fd_, into.data() + before, most, 0);
  } while (n < 0 && errno == EINTR);
  const int why = errno;
  into.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n > 0) return Status::done;
  return n < 0 && (why == EAGAIN || why == EWOULDBLOCK) ? Status::want_read : Status::closed;
}

Stream::Status Stream::send(std::string_view& bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Status::want_write;
    if (n <= 0) return Status::closed;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return Status::done;
}

}  // namespace kneepoint
