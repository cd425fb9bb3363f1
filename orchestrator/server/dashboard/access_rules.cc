// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/access_rules.h"

#include <sys/stat.h>

#include <algorithm>

#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"
#include "orchestrator/server/http/sockets.h"

namespace kneepoint {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr std::size_t kShortestToken = 16;

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Without its port and brackets; "" if it is no host.
std::string host_in(std::string_view header) {
  if (header.starts_with('[')) {
    const std::size_t end = header.find(']');
    if (end == std::string_view::npos) return "";
    const std::string_view rest = header.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return "";
    return ascii_lower(header.substr(1, end - 1));
  }
  const std::size_t colon = header.find(':');
  if (colon != std::string_view::npos && !is_port(header.substr(colon + 1))) return "";
  return ascii_lower(header.substr(0, colon));
}

}  // namespace

bool is_our_host(std::string_view header, const AccessRules& rules) {
  const std::string host = host_in(header);
  if (host.empty()) return false;
  if (host == "localhost" || is_address(host)) return true;
  return std::any_of(rules.hosts.begin(), rules.hosts.end(),
                     [&](const std::string& name) { return ascii_lower(name) == host; });
}

TokenState token_state(std::string_view authorization, const AccessRules& rules) {
  if (!authorization.starts_with(kBearer)) return TokenState::missing;
  const std::string_view given = authorization.substr(kBearer.size());
  // Hashes of one length: the time tells neither the token nor how long it is.
  const std::string key = "kneepoint dashboard token";
  const bool same = same_bytes(hmac_sha256(key, given), hmac_sha256(key, rules.token));
  return same && !rules.token.empty() ? TokenState::right : TokenState::wrong;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<std::string> read_token_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return Error{ErrorCode::invalid, "token file '" + path + "' is not there"};
  }
  if ((status.st_mode & 027U) != 0) {
    return Error{
        ErrorCode::permission,
        "token file '" + path + "' can be read by everybody, or written by others; chmod 600 it"};
  }
  TRY_ASSIGN(std::string token, read_file("token file", path, 1));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
  if (token.size() < kShortestToken || !printable) {
    return Error{ErrorCode::invalid,
                 "token file '" + path +
                     "': expected one line of at least 16 characters without blanks, as `openssl "
                     "rand -hex 32` makes it"};
  }
  return token;
}

std::string page_policy(std::string_view html) {
  std::string scripts;
  constexpr std::string_view kOpening = "<script";
  constexpr std::string_view kEnding = "</script>";
  for (std::size_t at = html.find(kOpening); at != std::string_view::npos;
       at = html.find(kOpening, at + 1)) {
    const std::size_t begin = html.find('>', at);
    const std::size_t end = html.find(kEnding, at);
    if (begin == std::string_view::npos || end == std::string_view::npos || begin > end) break;
    const std::string_view text = html.substr(begin + 1, end - begin - 1);
    scripts += " 'sha256-" + base64_encoded(bytes_of_hex(sha256_hex(text))) + "'";
    at = end;
  }
  return "default-src 'none'; script-src" + (scripts.empty() ? " 'none'" : scripts) +
         "; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'";
}

}  // namespace kneepoint
