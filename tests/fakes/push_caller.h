// SPDX-License-Identifier: Apache-2.0
//
// A client of the record endpoint for tests: TLS by OpenSSL, blocking, bytes as the test says. It
// speaks the agents' protocol, and anything else.
#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace kneepoint::testing_support {

// Trusts one CA; shared by many callers.
class PushTrust {
 public:
  explicit PushTrust(const std::string& ca_pem);
  ~PushTrust();
  PushTrust(const PushTrust&) = delete;
  PushTrust& operator=(const PushTrust&) = delete;
  ssl_ctx_st* handle() const { return handle_; }

 private:
  ssl_ctx_st* handle_;
};

class PushCaller {
 public:
  // To 127.0.0.1. Connects when first used.
  PushCaller(const PushTrust& trust, int port) : trust_(trust), port_(port) {}
  ~PushCaller();
  PushCaller(const PushCaller&) = delete;
  PushCaller& operator=(const PushCaller&) = delete;

  bool connect();  // false: no TLS connection to be had
  bool send(const std::string& bytes);
  // The status of the next answer; 0: the connection ended without one.
  int answer();
  // A whole push: connects if needed; the status, 0: none.
  int push(const std::string& allocation, const std::string& attempt, const std::string& token,
           const std::string& lines);
  void close();

 private:
  const PushTrust& trust_;
  int port_;
  int fd_ = -1;
  ssl_st* ssl_ = nullptr;
  std::string rest_;
};

}  // namespace kneepoint::testing_support
