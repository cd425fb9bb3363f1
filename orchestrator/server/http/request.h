// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 requests from the bytes of a connection, as far as the record endpoint and the dashboard
// need them: a method, a path, a few headers, a body of stated length. Pure. What is not understood
// is a status, never a guess; after one the connection is closed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kneepoint {

struct IncomingRequest {
  std::string method;
  std::string path;           // without a query
  std::string query;          // after the '?', as it came
  std::string host;           // the header's value
  std::string authorization;  // the header's value
  std::size_t length = 0;     // of the body
  bool has_length = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool has_host = false;
};

constexpr std::size_t kMostHttpHead = 8 << 10;

struct HttpHead {
  enum class State { unfinished, complete, refused };
  State state = State::unfinished;
  int status = 0;        // refused: what to answer
  std::size_t size = 0;  // complete: of the head, blank line included
  IncomingRequest request;
};
HttpHead read_http_head(std::string_view bytes);

// "Not Found"; "Error" for a status that we never answer with.
const char* http_phrase(int status);

}  // namespace kneepoint
