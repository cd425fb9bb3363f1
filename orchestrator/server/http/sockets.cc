// SPDX-License-Identifier: Apache-2.0
//
// A TLS handshake happens inside the first read. Buffers are given back while a connection is idle:
// thousands of agents keep one each.
#include "orchestrator/server/http/sockets.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace kneepoint {
namespace {

constexpr int kBacklog = 4096;

int port_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

int try_address(const addrinfo& at) {
  const int fd = ::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(fd, at.ai_addr, at.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0) return fd;
  const int why = errno;
  ::close(fd);
  errno = why;
  return -1;
}

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

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

Result<Listening> listen_on(const std::string& host, int port) {
  const std::string where = host + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0) {
    return Error{ErrorCode::unavailable, "listen on " + where + ": " + ::gai_strerror(failure),
                 false};
  }
  int fd = -1;
  for (const addrinfo* at = found; at != nullptr && fd < 0; at = at->ai_next) {
    fd = try_address(*at);
  }
  const int why = errno;
  ::freeaddrinfo(found);
  if (fd < 0) {
    Error error = system_error("listen on " + where, why);
    if (why == EADDRINUSE) error.code = ErrorCode::unavailable;
    return error;
  }
  return Listening{fd, port_of(fd)};
}

int accept_one(int listening) {
  const int fd = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return -1;
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return fd;
}

int allow_descriptors(int wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const auto enough = static_cast<rlim_t>(wanted);
  if (limit.rlim_cur < enough) {
    limit.rlim_cur = std::min(enough, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1'000'000));
}

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
