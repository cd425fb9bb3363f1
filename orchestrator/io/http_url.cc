// SPDX-License-Identifier: Apache-2.0
//
// Stricter than the standard on purpose: what a site file has no use for is a mistake in it.
#include "orchestrator/io/http_client.h"

#include <algorithm>
#include <charconv>

namespace kneepoint {
namespace {

Error bad(std::string_view text, const std::string& why) {
  return Error{ErrorCode::invalid,
               "'" + std::string(text) + "' is no address: " + why +
                   "; expected http://HOST:PORT, https://HOST:PORT or unix:/PATH",
               false};
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool is_default_port(const HttpUrl& url) {
  return url.port == (url.kind == HttpUrl::Kind::https ? 443 : 80);
}

std::string host_of(const HttpUrl& url) {
  return url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
}

}  // namespace

Result<HttpUrl> parse_http_url(std::string_view text) {
  const std::string_view all = text;
  HttpUrl url;
  const bool visible =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
  if (!visible) return bad("...", "it contains a space or a character that can't be seen");
  if (text.find('@') != std::string_view::npos) {
    return Error{ErrorCode::invalid,
                 "an address never holds a user or a password; secrets are named by file or "
                 "environment variable",
                 false};
  }
  if (text.find_first_of("?#\\\"<>") != std::string_view::npos) {
    return bad(all, "it contains one of ? # \\ \" < >");
  }
  if (take_prefix(text, "unix:")) {
    if (text.starts_with("//")) text.remove_prefix(2);
    if (!text.starts_with('/')) return bad(all, "the socket's path must be absolute");
    if (text.size() > 107) return bad(all, "a socket's path has at most 107 characters");
    url.kind = HttpUrl::Kind::unix_socket;
    url.socket = text;
    return url;
  }
  if (take_prefix(text, "https://")) {
    url.kind = HttpUrl::Kind::https;
    url.port = 443;
  } else if (take_prefix(text, "http://")) {
    url.port = 80;
  } else {
    return bad(all, "it begins with neither http://, https:// nor unix:");
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::string_view place = text.substr(0, slash);
  url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  if (place.starts_with('[')) {
    const std::size_t close = place.find(']');
    if (close == std::string_view::npos) return bad(all, "a '[' without its ']'");
    url.host = place.substr(1, close - 1);
    place.remove_prefix(close + 1);
  } else {
    const std::size_t colon = std::min(place.find(':'), place.size());
    url.host = place.substr(0, colon);
    place.remove_prefix(colon);
  }
  if (url.host.empty()) return bad(all, "it names no host");
  if (place.empty()) return url;
  place.remove_prefix(1);
  const auto [end, problem] = std::from_chars(place.data(), place.data() + place.size(), url.port);
  if (problem != std::errc() || end != place.data() + place.size() || url.port < 1 ||
      url.port > 65535) {
    return bad(all, "the port must be a number from 1 to 65535");
  }
  return url;
}

bool HttpUrl::is_here() const {
  return kind == Kind::unix_socket || host == "localhost" || host == "::1" ||
         host.starts_with("127.");
}

std::string base_of(const HttpUrl& url) {
  if (url.kind == HttpUrl::Kind::unix_socket) return "http://localhost" + url.path;
  const std::string scheme = url.kind == HttpUrl::Kind::https ? "https://" : "http://";
  const std::string port = is_default_port(url) ? "" : ":" + std::to_string(url.port);
  return scheme + host_of(url) + port + url.path;
}

std::string to_string(const HttpUrl& url) {
  return url.kind == HttpUrl::Kind::unix_socket ? "unix:" + url.socket : base_of(url);
}

std::string url_escaped(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (is_plain(c)) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return escaped;
}

}  // namespace kneepoint
