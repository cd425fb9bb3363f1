// SPDX-License-Identifier: Apache-2.0
//
// The path is judged first: only for one that names an allocation can a token be wrong. A spool
// that can't be written puts pushes off (503), since agents keep their files and come again.
#include "orchestrator/server/push/server.h"

#include <utility>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/log.h"

namespace kneepoint {
namespace {

constexpr std::string_view kPathOpening = "/v1/allocations/";
constexpr std::string_view kPathEnding = "records";
constexpr std::string_view kTokenScheme = "Bearer ";
constexpr std::size_t kPushConnections = 8000;
constexpr std::size_t kMostNames = 1000;  // of refused allocations that are told apart

bool read_path(std::string_view path, PushVerdict& verdict) {
  if (!path.starts_with(kPathOpening)) return false;
  path.remove_prefix(kPathOpening.size());
  verdict.allocation = take_to(path, '/');
  verdict.attempt = take_to(path, '/');
  return path == kPathEnding && is_push_name(verdict.allocation) && is_push_name(verdict.attempt);
}

}  // namespace

std::string push_token(std::string_view key, std::string_view allocation) {
  return hex_of_bytes(hmac_sha256(key, "kneepoint push 1 " + std::string(allocation)));
}

PushVerdict judge_push(const IncomingRequest& request, std::string_view key) {
  PushVerdict verdict;
  const auto refuse = [&verdict](int status, const char* why) {
    verdict.status = status;
    verdict.why = why;
    return verdict;
  };
  if (!read_path(request.path, verdict)) {
    return refuse(404, "records go to /v1/allocations/ALLOCATION/ATTEMPT/records");
  }
  if (request.method != "POST") return refuse(405, "records are sent by POST");
  const std::string_view header = request.authorization;
  const bool has_token = header.starts_with(kTokenScheme);
  const std::string_view token =
      has_token ? header.substr(kTokenScheme.size()) : std::string_view();
  if (!same_bytes(token, push_token(key, verdict.allocation))) {
    verdict.wrong_token = true;
    return refuse(401, has_token ? "the token is not that of this allocation"
                                 : "expected Authorization: Bearer TOKEN");
  }
  if (!request.has_length) return refuse(411, "expected Content-Length");
  if (request.length > kMostPushBytes) return refuse(413, "at most 1 MiB of records at once");
  return verdict;
}

int judge_push_body(std::string_view body) {
  return !body.empty() && body.back() == '\n' ? 0 : 400;
}

Result<std::unique_ptr<PushServer>> PushServer::start(const std::string& host, int port,
                                                      const std::string& key,
                                                      const std::string& spool, TlsContext context,
                                                      const Clock& clock) {
  TRY_ASSIGN(SpoolWriter writer, SpoolWriter::open(spool));
  WebServerOptions web;
  web.host = host;
  web.port = port;
  web.workers = 0;
  web.connections = kPushConnections;
  web.sweep = 500 * kMillisecond;
  web.limits.idle = 2 * kMinute;
  web.limits.body = kMostPushBytes;
  std::unique_ptr<PushServer> push(new PushServer(key, std::move(writer)));
  TRY_ASSIGN(push->server_, WebServer::start(web, std::move(context), *push, clock));
  return push;
}

PushStats PushServer::stats() const {
  const WebStats web = server_->stats();
  PushStats stats{web.connections, web.accepted, 0, 0, 0, web.times};
  for (const auto& [status, count] : web.answers) {
    (status == 204 ? stats.pushes : status == 503 ? stats.put_off : stats.refused) += count;
  }
  return stats;
}

std::vector<std::string> PushServer::news() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  for (auto& [name, count] : refusals_) {
    const int fresh = std::exchange(count.fresh, 0);
    if (fresh == 0) continue;
    texts.push_back(std::to_string(fresh) + (fresh == 1 ? " push" : " pushes") + " for " + name +
                    " refused: wrong token");
  }
  return texts;
}

std::optional<HttpReply> PushServer::refusal(const IncomingRequest& head) {
  const PushVerdict verdict = judge_push(head, key_);
  if (verdict.status == 0) return std::nullopt;
  if (verdict.wrong_token) note_wrong_token(verdict.allocation);
  HttpReply reply = error_reply(verdict.status, verdict.why);
  if (verdict.status == 405) reply.headers.emplace_back("Allow", "POST");
  return reply;
}

// One fdatasync for all.
std::vector<WebAnswer> PushServer::answer_together(const std::vector<WebRequest>& requests) {
  std::vector<WebAnswer> answers(requests.size());
  std::vector<Push> pushes;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (const int status = judge_push_body(requests[i].body); status != 0) {
      answers[i].reply = error_reply(status, "expected whole lines of records");
      continue;
    }
    const PushVerdict verdict = judge_push(requests[i].head, key_);
    pushes.push_back({verdict.allocation, verdict.attempt, requests[i].body});
    answers[i].reply.status = 204;
  }
  if (pushes.empty()) return answers;
  if (const auto kept = spool_.append(pushes); !kept) {
    log_error("", "pushes are put off: " + kept.error().message);
    for (WebAnswer& answer : answers) {
      if (answer.reply.status == 204) answer.reply = error_reply(503, "try again later");
    }
  }
  return answers;
}

void PushServer::note_wrong_token(const std::string& allocation) {
  const std::lock_guard lock(mutex_);
  const bool is_known = refusals_.count(allocation) > 0;
  Count& count = refusals_[is_known || refusals_.size() < kMostNames ? allocation : "..."];
  ++count.fresh;
  if (++count.all == 1) log_warning(allocation, "a push with a wrong token was refused");
}

}  // namespace kneepoint
