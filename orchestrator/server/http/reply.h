// SPDX-License-Identifier: Apache-2.0
//
// What is answered, as a value and as bytes. Every answer says what a browser must not do with it:
// guess its type, keep it, run or frame it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kneepoint {

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // beside those of every answer
  std::string policy = "default-src 'none'; frame-ancestors 'none'";
};

struct ReplyManner {
  bool keep_alive = true;
  bool head_only = false;  // the request was HEAD: all but the body
  bool is_stream = false;  // the body goes on until the connection ends
};
std::string reply_bytes(const HttpReply& reply, const ReplyManner& manner);

// {"schema","error":{"code","message"}}
HttpReply error_reply(int status, std::string_view code, std::string_view message);
// The same with the code that belongs to the status: 404 -> "not_found".
HttpReply error_reply(int status, std::string_view message);

}  // namespace kneepoint
