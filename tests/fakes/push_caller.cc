// SPDX-License-Identifier: Apache-2.0
//
// Sockets with a time limit of a minute: a test that waits longer has failed.
#include "tests/fakes/push_caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

namespace kneepoint::testing_support {

PushTrust::PushTrust(const std::string& ca_pem) : handle_(SSL_CTX_new(TLS_client_method())) {
  BIO* text = BIO_new_mem_buf(ca_pem.data(), static_cast<int>(ca_pem.size()));
  X509* certificate = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(handle_), certificate);
  X509_free(certificate);
  BIO_free_all(text);
  SSL_CTX_set_verify(handle_, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(handle_, SSL_MODE_RELEASE_BUFFERS);
}

PushTrust::~PushTrust() {
  SSL_CTX_free(handle_);
}

PushCaller::~PushCaller() {
  close();
}

void PushCaller::close() {
  if (ssl_ != nullptr) SSL_free(ssl_);
  if (fd_ >= 0) ::close(fd_);
  ssl_ = nullptr;
  fd_ = -1;
  rest_.clear();
}

bool PushCaller::connect() {
  if (ssl_ != nullptr) return true;
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{60, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int yes = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port_));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool good = ::connect(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
  if (good) {
    ssl_ = SSL_new(trust_.handle());
    SSL_set_fd(ssl_, fd_);
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), "127.0.0.1");
    good = SSL_connect(ssl_) == 1;
  }
  ERR_clear_error();
  if (!good) close();
  return good;
}

bool PushCaller::send(const std::string& bytes) {
  const bool good = connect() && SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) ==
                                     static_cast<int>(bytes.size());
  ERR_clear_error();
  return good;
}

int PushCaller::answer() {
  char buffer[4096];
  for (;;) {
    const std::size_t end = rest_.find("\r\n\r\n");
    if (end != std::string::npos) {
      const int status = std::atoi(rest_.c_str() + sizeof("HTTP/1.1"));
      std::size_t size = end + 4;
      const std::size_t length = rest_.find("Content-Length: ");
      if (length < end) size += std::strtoul(rest_.c_str() + length + 16, nullptr, 10);
      if (rest_.size() >= size) {
        rest_.erase(0, size);
        if (status != 100) return status;
        continue;
      }
    }
    const int n = ssl_ == nullptr ? 0 : SSL_read(ssl_, buffer, sizeof buffer);
    ERR_clear_error();
    if (n <= 0) return 0;
    rest_.append(buffer, static_cast<std::size_t>(n));
  }
}

int PushCaller::push(const std::string& allocation, const std::string& attempt,
                     const std::string& token, const std::string& lines) {
  const std::string request = "POST /v1/allocations/" + allocation + "/" + attempt +
                              "/records HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer " + token +
                              "\r\nContent-Length: " + std::to_string(lines.size()) + "\r\n\r\n" +
                              lines;
  const int status = send(request) ? answer() : 0;
  if (status == 0 || status == 401) close();
  return status;
}

}  // namespace kneepoint::testing_support
