// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/http/reply.h"

#include "orchestrator/base/json_put.h"
#include "orchestrator/server/dashboard/api_schema.h"
#include "orchestrator/server/http/request.h"

namespace kneepoint {
namespace {

const char* code_of(int status) {
  switch (status) {
    case 400:
      return "invalid";
    case 401:
      return "no_token";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "wrong_method";
    case 408:
      return "too_slow";
    case 409:
      return "conflict";
    case 413:
      return "too_large";
    case 421:
      return "wrong_host";
    case 429:
      return "busy";
    case 503:
      return "unavailable";
    default:
      return status < 500 ? "invalid" : "internal";
  }
}

}  // namespace

std::string reply_bytes(const HttpReply& reply, const ReplyManner& manner) {
  std::string text =
      "HTTP/1.1 " + std::to_string(reply.status) + " " + http_phrase(reply.status) + "\r\n";
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

HttpReply error_reply(int status, std::string_view code, std::string_view message) {
  JsonWriter json;
  json.begin_object().put("schema", kApiSchema).key("error").begin_object();
  json.put("code", code).put("message", message).end_object().end_object();
  HttpReply reply;
  reply.status = status;
  reply.body = json.text() + "\n";
  return reply;
}

HttpReply error_reply(int status, std::string_view message) {
  return error_reply(status, code_of(status), message);
}

}  // namespace kneepoint
