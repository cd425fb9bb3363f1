// SPDX-License-Identifier: Apache-2.0
//
// Where an HTTP server is: http://host:port, https://host:port, or unix:/path of a socket. Pure. A
// URL never carries a secret: a user or password in it is refused.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct HttpUrl {
  enum class Kind { http, https, unix_socket };
  Kind kind = Kind::http;
  std::string host;    // as written; an IPv6 address without its brackets
  int port = 0;        // 80 and 443 when not written
  std::string socket;  // unix_socket: absolute path
  std::string path;    // what all paths begin with: "" or "/prefix", without a slash at its end

  bool is_here() const;  // this machine: no proxy is ever asked
};

Result<HttpUrl> parse_http_url(std::string_view text);
// "http://host:6820/prefix", as curl wants it; a socket's is "http://localhost/prefix".
std::string base_of(const HttpUrl& url);
// For messages: what the user wrote, in its full form.
std::string to_string(const HttpUrl& url);
// One path segment or query value with everything but letters, digits, '-', '_', '.' and '~' as
// %XX.
std::string url_escaped(std::string_view text);

}  // namespace kneepoint
