// SPDX-License-Identifier: Apache-2.0
//
// The servers' sockets, none of which ever blocks: those that listen, and accepted ones with TLS or
// without. OpenSSL stays inside sockets.cc and certificate.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "orchestrator/base/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace kneepoint {

bool is_address(const std::string& host);  // of IPv4 or IPv6, without brackets

struct Listening {
  int fd = -1;
  int port = 0;
};
// Port 0: the kernel chooses.
Result<Listening> listen_on(const std::string& host, int port);

// The next connection; -1: none waits.
int accept_one(int listening);

// So many connections and files at once, if the hard limit allows; how many there may be now.
int allow_descriptors(int wanted);

class TlsContext {
 public:
  // PEM texts. The certificate may be a chain.
  static Result<TlsContext> make(const std::string& certificate, const std::string& key);
  ssl_ctx_st* handle() const { return handle_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* handle) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> handle_;
};

// One accepted connection. The socket must not block; it is closed with the stream.
class Stream {
 public:
  enum class Status { done, want_read, want_write, closed };

  // No context: bytes as they are.
  Stream(const TlsContext* context, int fd);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int fd() const { return fd_; }
  // Appends at most `most` bytes of what is there; done: some were.
  Status read(std::string& into, std::size_t most);
  // Takes what was written off the front of `bytes`; done: all was.
  Status write(std::string_view& bytes);

 private:
  Status status_of(int result);
  Status receive(std::string& into, std::size_t most) const;
  Status send(std::string_view& bytes) const;

  struct Free {
    void operator()(ssl_st* handle) const;
  };
  std::unique_ptr<ssl_st, Free> handle_;
  const bool is_plain_;
  int fd_;
};

}  // namespace kneepoint
