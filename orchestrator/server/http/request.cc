// SPDX-License-Identifier: Apache-2.0
//
// Lengths are taken from Content-Length alone; whatever could be read in two ways (two lengths, a
// transfer encoding, a folded line) is refused.
#include "orchestrator/server/http/request.h"

#include <algorithm>
#include <charconv>

#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

// The first line; a status if it is none.
int read_request_line(std::string_view line, IncomingRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return 400;
  const std::string_view version = line.substr(last + 1);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(line.substr(0, first)) || !target.starts_with('/')) return 400;
  if (target.find_first_of(" \t") != std::string_view::npos) return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return version.starts_with("HTTP/") ? 505 : 400;
  }
  request.method = line.substr(0, first);
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
  request.keep_alive = version == "HTTP/1.1";
  return 0;
}

int read_header(std::string_view line, IncomingRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return 400;
  const std::string name = ascii_lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "content-length") {
    const char* last = value.data() + value.size();
    std::size_t length = 0;
    const auto [end, failure] = std::from_chars(value.data(), last, length);
    if (value.empty() || end != last || request.has_length) return 400;
    if (failure == std::errc::result_out_of_range) return 413;
    if (failure != std::errc()) return 400;
    request.length = length;
    request.has_length = true;
  } else if (name == "transfer-encoding") {
    return 501;
  } else if (name == "authorization") {
    if (!request.authorization.empty()) return 400;
    request.authorization = value;
  } else if (name == "host") {
    if (request.has_host) return 400;
    request.host = value;
    request.has_host = true;
  } else if (name == "connection") {
    const std::string options = ascii_lower(value);
    if (options.find("close") != std::string::npos) request.keep_alive = false;
  } else if (name == "expect") {
    if (ascii_lower(value) != "100-continue") return 417;
    request.expects_continue = true;
  }
  return 0;
}

}  // namespace

HttpHead read_http_head(std::string_view bytes) {
  HttpHead head;
  const auto refuse = [&head](int status) {
    head.state = HttpHead::State::refused;
    head.status = status;
    return head;
  };
  const std::size_t end = bytes.substr(0, kMostHttpHead).find(kHeadEnd);
  if (end == std::string_view::npos) {
    return bytes.size() >= kMostHttpHead ? refuse(431) : head;
  }
  std::string_view rest = bytes.substr(0, end + 2);
  bool is_first = true;
  while (!rest.empty()) {
    const std::size_t stop = rest.find("\r\n");
    const std::string_view line = rest.substr(0, stop);
    rest.remove_prefix(stop + 2);
    if (line.find_first_of(std::string_view("\0\r\n", 3)) != std::string_view::npos) {
      return refuse(400);
    }
    const int status =
        is_first ? read_request_line(line, head.request) : read_header(line, head.request);
    if (status != 0) return refuse(status);
    is_first = false;
  }
  head.state = HttpHead::State::complete;
  head.size = end + kHeadEnd.size();
  return head;
}

const char* http_phrase(int status) {
  struct Phrase {
    int status;
    const char* text;
  };
  static constexpr Phrase kPhrases[] = {
      {200, "OK"},
      {202, "Accepted"},
      {204, "No Content"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {417, "Expectation Failed"},
      {421, "Misdirected Request"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {505, "HTTP Version Not Supported"},
  };
  for (const Phrase& phrase : kPhrases) {
    if (phrase.status == status) return phrase.text;
  }
  return "Error";
}

}  // namespace kneepoint
