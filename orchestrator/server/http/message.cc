// SPDX-License-Identifier: Apache-2.0
//
// Lengths are taken from Content-Length alone; whatever could be read in two ways (two lengths, a
// transfer encoding, a folded line) is refused.
#include "orchestrator/server/http/message.h"

#include <algorithm>
#include <charconv>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"
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

namespace {

constexpr std::size_t kMostParts = 16;

bool is_harmless(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         part.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

}  // namespace

std::string_view take_to(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view first = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return first;
}

std::optional<std::string> percent_decoded(std::string_view text, bool form) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const std::string byte = bytes_of_hex(text.substr(i + 1, 2));
      if (byte.empty()) return std::nullopt;
      out += byte;
      i += 2;
    } else {
      out += form && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::optional<std::string> RequestTarget::value(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> RequestTarget::values(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& [key, value] : query) {
    if (key == name) found.push_back(value);
  }
  return found;
}

std::optional<RequestTarget> read_target(std::string_view path, std::string_view query) {
  RequestTarget target;
  if (!path.starts_with('/')) return std::nullopt;
  path.remove_prefix(1);
  while (!path.empty()) {
    const bool ends_in_slash = path.back() == '/' && path.find('/') == path.size() - 1;
    const auto part = percent_decoded(take_to(path, '/'), false);
    if (!part || !is_harmless(*part) || ends_in_slash) return std::nullopt;
    if (target.parts.size() == kMostParts) return std::nullopt;
    target.parts.push_back(*part);
  }
  while (!query.empty()) {
    std::string_view pair = take_to(query, '&');
    if (pair.empty()) continue;
    const auto name = percent_decoded(take_to(pair, '='), true);
    const auto value = percent_decoded(pair, true);
    if (!name || !value) return std::nullopt;
    target.query.emplace_back(*name, *value);
  }
  return target;
}

namespace {

struct StatusRow {
  int status;
  const char* phrase;
  const char* code;  // of an error's object
};
constexpr StatusRow kStatuses[] = {
    {200, "OK", ""},
    {202, "Accepted", ""},
    {204, "No Content", ""},
    {400, "Bad Request", "invalid"},
    {401, "Unauthorized", "no_token"},
    {403, "Forbidden", "forbidden"},
    {404, "Not Found", "not_found"},
    {405, "Method Not Allowed", "wrong_method"},
    {408, "Request Timeout", "too_slow"},
    {409, "Conflict", "conflict"},
    {411, "Length Required", "invalid"},
    {413, "Content Too Large", "too_large"},
    {417, "Expectation Failed", "invalid"},
    {421, "Misdirected Request", "wrong_host"},
    {429, "Too Many Requests", "busy"},
    {431, "Request Header Fields Too Large", "invalid"},
    {500, "Internal Server Error", "internal"},
    {501, "Not Implemented", "internal"},
    {503, "Service Unavailable", "unavailable"},
    {505, "HTTP Version Not Supported", "internal"},
};

// Every status that we answer with is in the table.
const StatusRow& row_of(int status) {
  const auto* row = std::find_if(std::begin(kStatuses), std::end(kStatuses),
                                 [&](const StatusRow& one) { return one.status == status; });
  ENSURE(row != std::end(kStatuses), "a status that we answer with");
  return *row;
}

}  // namespace

std::string reply_bytes(const HttpReply& reply, const ReplyManner& manner) {
  std::string text =
      "HTTP/1.1 " + std::to_string(reply.status) + " " + row_of(reply.status).phrase + "\r\n";
  const auto header = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  if (reply.status != 204) {
    header("Content-Type", reply.type);
    if (!manner.is_stream) header("Content-Length", std::to_string(reply.body.size()));
  }
  header("Content-Security-Policy", reply.policy);
  header("X-Content-Type-Options", "nosniff");
  header("Referrer-Policy", "no-referrer");
  header("Cross-Origin-Resource-Policy", "same-origin");
  header("Cache-Control", "no-store");
  if (reply.status == 401) header("WWW-Authenticate", "Bearer");
  for (const auto& [name, value] : reply.headers) header(name, value);
  if (!manner.keep_alive || manner.is_stream) header("Connection", "close");
  text += "\r\n";
  return manner.head_only ? text : text + reply.body;
}

HttpReply error_reply(int status, std::string_view message) {
  HttpReply reply;
  reply.status = status;
  reply.body = json_text(ErrorDocument{{row_of(status).code, std::string(message)}}) + "\n";
  return reply;
}

}  // namespace kneepoint
