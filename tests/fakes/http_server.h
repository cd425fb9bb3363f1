// SPDX-License-Identifier: Apache-2.0
//
// FakeHttpServer: a real socket, threads, and answers that a test writes, byte for byte. It speaks
// just enough HTTP/1.1 to be talked to by a client that keeps its connection.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kneepoint {

struct FakeHttpRequest {
  std::string method, path, head,
      body;  // head: request line and headers, each with its end of line
};

class FakeHttpServer {
 public:
  // The bytes to send; "" closes the connection without an answer.
  using Answer = std::function<std::string(const FakeHttpRequest&)>;

  // On a free port of 127.0.0.1, or on a socket of this path.
  explicit FakeHttpServer(Answer answer, const std::string& socket_path = "");
  ~FakeHttpServer();
  FakeHttpServer(const FakeHttpServer&) = delete;
  FakeHttpServer& operator=(const FakeHttpServer&) = delete;

  std::string url() const;  // "http://127.0.0.1:41234" or "unix:/path"
  std::vector<FakeHttpRequest> requests() const;
  int connections() const;

  // A whole answer with its length.
  static std::string reply(int status, const std::string& body,
                           const std::string& type = "application/json");

 private:
  void serve();
  void talk(int connection);

  Answer answer_;
  std::string socket_path_;
  int listener_ = -1;
  int port_ = 0;
  int stop_[2] = {-1, -1};
  mutable std::mutex mutex_;
  std::mutex answering_;
  std::vector<FakeHttpRequest> requests_;
  int connections_ = 0;
  std::vector<std::thread> talks_;  // of thread_ alone
  std::thread thread_;
};

}  // namespace kneepoint
