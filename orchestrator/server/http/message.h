// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 as the record endpoint and the dashboard need it: requests from the bytes of a
// connection, their path and query taken apart, and what is answered. Pure. What is not understood
// is a status, never a guess; every answer says what a browser must not do with it: guess its type,
// keep it, run or frame it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/base/fields.h"

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

// A request's path and query, taken apart. A part that could lead elsewhere ("..", a hidden slash,
// a zero byte) makes the whole path one that is not understood.
struct RequestTarget {
  std::vector<std::string> parts;  // of the path, between slashes, decoded; "/" has none
  std::vector<std::pair<std::string, std::string>> query;

  std::optional<std::string> value(std::string_view name) const;  // the first of that name
  std::vector<std::string> values(std::string_view name) const;
};

// None: not to be understood, 400.
std::optional<RequestTarget> read_target(std::string_view path, std::string_view query);

// "%41" -> "A"; none: a '%' that nothing follows. `form`: '+' is a space, as in queries.
std::optional<std::string> percent_decoded(std::string_view text, bool form);

// What comes before `separator`, which goes too; all of the rest where there is none.
std::string_view take_to(std::string_view& rest, char separator);

// The name that every object of ours carries; it changes when a key changes its meaning or goes,
// not when one comes.
enum class ApiName { v1 };
constexpr auto words_of(ApiName) {
  return std::array{"kneepoint.api/1"};
}

struct ErrorDetail {
  std::string code, message;
  KP_DESCRIBED(ErrorDetail, code, message);
};
struct ErrorDocument {
  static constexpr const char* kSchema = "Error";
  ErrorDetail error;
  ApiName schema = {};
  KP_DESCRIBED(ErrorDocument, schema, error);
};

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

// An ErrorDocument with the code that belongs to the status: 404 -> "not_found".
HttpReply error_reply(int status, std::string_view message);

}  // namespace kneepoint
