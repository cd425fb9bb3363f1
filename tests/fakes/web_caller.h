// SPDX-License-Identifier: Apache-2.0
//
// A client of the dashboard for tests: a plain socket, blocking, bytes as the test says.
#pragma once

#include <string>

namespace kneepoint::testing_support {

struct WebResponse {
  int status = 0;  // 0: the connection ended without an answer
  std::string head, body;
  std::string header(const std::string& name) const;  // "" if there is none
};

class WebCaller {
 public:
  explicit WebCaller(int port);  // of 127.0.0.1
  ~WebCaller();
  WebCaller(const WebCaller&) = delete;
  WebCaller& operator=(const WebCaller&) = delete;

  bool send(const std::string& bytes);
  // The next answer, its body by Content-Length; of a stream the head alone.
  WebResponse answer();
  // What comes, until it holds `text` or the connection ends; taken off what is kept.
  std::string read_until(const std::string& text);
  bool is_closed();  // waits until something comes: false if it was a byte

  // A whole request with the headers that a browser would send.
  WebResponse ask(const std::string& method, const std::string& path, const std::string& token = "",
                  const std::string& body = "");
  static std::string request(const std::string& method, const std::string& path,
                             const std::string& token, const std::string& body);

 private:
  bool read_some();

  int fd_ = -1;
  std::string rest_;
};

}  // namespace kneepoint::testing_support
