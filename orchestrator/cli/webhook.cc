// SPDX-License-Identifier: Apache-2.0
//
// libcurl's own words may name the server, so only the kind of its error is passed on.
#include "orchestrator/cli/webhook.h"

#include <algorithm>

#include "orchestrator/io/http_client.h"
#include "orchestrator/io/http_url.h"
#include "orchestrator/io/poller.h"

namespace kneepoint::cli {
namespace {

constexpr int kTries = 3;
constexpr Nanoseconds kLimit = 45 * kSecond, kOneTry = 10 * kSecond;
constexpr Nanoseconds kFirstWait = kSecond, kLongestWait = 10 * kSecond;

Error no_address(const std::string& why) {
  return Error{ErrorCode::invalid,
               "what it holds is no address of a webhook: " + why +
                   "; expected one line, https://HOST/PATH (the address is not repeated here)"};
}

std::string words_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::unavailable:
      return "its server can't be reached";
    case ErrorCode::timeout:
      return "no answer in time";
    case ErrorCode::permission:
      return "its server can't prove who it is: name its authority with --webhook-ca";
    case ErrorCode::corrupt:
      return "the answer is too long";
    default:
      return "the connection broke off";
  }
}

}  // namespace

Result<Webhook> parse_webhook(const std::string& address) {
  const bool visible =
      std::all_of(address.begin(), address.end(), [](char c) { return c > ' ' && c < 127; });
  if (!visible) return no_address("it contains a space or a character that can't be seen");
  const std::size_t scheme = address.find("://");
  if (scheme == std::string::npos) return no_address("it does not begin with https://");
  const std::size_t rest = std::min(address.find_first_of("/?#", scheme + 3), address.size());
  Webhook webhook;
  webhook.server = address.substr(0, rest);
  webhook.path = address.substr(rest, address.find('#', rest) - rest);
  if (!webhook.path.starts_with('/')) webhook.path.insert(0, "/");
  const auto url = parse_http_url(webhook.server);
  if (!url) return no_address("its scheme, host or port can't be read");
  if (url->kind == HttpUrl::Kind::unix_socket) return no_address("it is a socket's");
  if (url->kind == HttpUrl::Kind::http && !url->is_here()) {
    return no_address("it is http, which everybody on the way can read");
  }
  return webhook;
}

Result<Webhook> read_webhook(const std::string& file, const std::string& ca_file) {
  const auto address = read_secret({file, ""});
  if (!address) return address.error().in("--webhook-file");
  auto webhook = parse_webhook(*address);
  if (!webhook) return webhook.error().in("--webhook-file " + file);
  webhook->ca_file = ca_file;
  return webhook;
}

Result<void> post_webhook(const Webhook& webhook, const std::string& json, const Clock& clock) {
  HttpTarget target;
  target.url = webhook.server;
  target.ca_file = webhook.ca_file;
  const auto client = HttpClient::make(target, clock);
  if (!client) {
    return Error{client.error().code, webhook.ca_file.empty()
                                          ? "the client can't be made"
                                          : "--webhook-ca " + webhook.ca_file + " can't be read"};
  }
  HttpRequest request;
  request.method = "POST";
  request.path = webhook.path;
  request.headers = {{"Content-Type", "application/json"}};
  request.body = json;
  request.most_bytes = 64 << 10;
  const Nanoseconds limit = clock.steady() + kLimit;
  Poller poller;
  Nanoseconds wait = kFirstWait;
  for (int tried = 1;; ++tried) {
    const auto answer = (*client)->call(request, std::min(limit, clock.steady() + kOneTry));
    if (answer && answer->status >= 200 && answer->status < 300) return {};
    const bool again = answer ? answer->status == 429 || answer->status >= 500
                              : answer.error().code != ErrorCode::permission;
    const Error failed{answer ? ErrorCode::unavailable : answer.error().code,
                       (answer ? "its server answered " + std::to_string(answer->status)
                               : words_of(answer.error())) +
                           (tried > 1 ? ", after " + std::to_string(tried) + " tries" : "")};
    if (answer && answer->retry_after > 0) wait = answer->retry_after * kSecond;
    wait = std::min(wait, kLongestWait);
    if (!again || tried == kTries || clock.steady() + wait >= limit) return failed;
    TRY(poller.wait(wait));
    wait *= 4;
  }
}

}  // namespace kneepoint::cli
