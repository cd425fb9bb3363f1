// SPDX-License-Identifier: Apache-2.0
//
// What of a web server is the record endpoint's own: who may push, and the spool. A spool that
// can't be written puts pushes off (503), since agents keep their files and come again.
#include "orchestrator/server/push/server.h"

#include <map>
#include <mutex>

#include "orchestrator/base/log.h"
#include "orchestrator/server/http/web_server.h"
#include "orchestrator/server/push/rules.h"
#include "orchestrator/store/push_spool.h"

namespace kneepoint {
namespace {

constexpr std::size_t kPushConnections = 8000;
constexpr std::size_t kMostNames = 1000;  // of refused allocations that are told apart

class PushApp final : public WebApp {
 public:
  PushApp(std::string key, SpoolWriter spool) : key_(std::move(key)), spool_(std::move(spool)) {}

  std::optional<HttpReply> refusal(const IncomingRequest& head) override {
    const PushVerdict verdict = judge_push(head, key_);
    if (verdict.status == 0) return std::nullopt;
    if (verdict.wrong_token) note_wrong_token(verdict.allocation);
    HttpReply reply = error_reply(verdict.status, verdict.why);
    if (verdict.status == 405) reply.headers.emplace_back("Allow", "POST");
    return reply;
  }

  WebAnswer answer(const WebRequest& request, std::size_t) override {
    return answer_together({request}).front();
  }

  // One fdatasync for all.
  std::vector<WebAnswer> answer_together(const std::vector<WebRequest>& requests) override {
    std::vector<WebAnswer> answers(requests.size());
    std::vector<Push> pushes;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (const int status = judge_push_body(requests[i].body); status != 0) {
        answers[i].reply = error_reply(status, "expected whole lines of records");
        continue;
      }
      const PushVerdict verdict = judge_push(requests[i].head, key_);
      pushes.push_back({verdict.allocation, verdict.attempt, requests[i].body});
      bytes += requests[i].body.size();
      answers[i].reply.status = 204;
    }
    if (pushes.empty()) return answers;
    const auto kept = spool_.append(pushes);
    if (kept) {
      const std::lock_guard lock(mutex_);
      bytes_ += bytes;
      return answers;
    }
    log_error("", "pushes are put off: " + kept.error().message);
    for (WebAnswer& answer : answers) {
      if (answer.reply.status == 204) answer.reply = error_reply(503, "try again later");
    }
    return answers;
  }

  std::uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  std::vector<Refusal> take_refusals() {
    const std::lock_guard lock(mutex_);
    std::vector<Refusal> all;
    for (auto& [name, count] : refusals_) {
      if (count.fresh > 0) all.push_back({name, std::exchange(count.fresh, 0)});
    }
    return all;
  }

 private:
  struct Count {
    int all = 0, fresh = 0;
  };

  void note_wrong_token(const std::string& allocation) {
    const std::lock_guard lock(mutex_);
    const bool is_known = refusals_.count(allocation) > 0;
    Count& count = refusals_[is_known || refusals_.size() < kMostNames ? allocation : "..."];
    ++count.fresh;
    if (++count.all == 1) log_warning(allocation, "a push with a wrong token was refused");
  }

  const std::string key_;
  SpoolWriter spool_;
  mutable std::mutex mutex_;  // of what follows
  std::uint64_t bytes_ = 0;
  std::map<std::string, Count> refusals_;
};

class WebPushServer final : public PushServer {
 public:
  WebPushServer(std::string key, SpoolWriter spool) : app_(std::move(key), std::move(spool)) {}

  Result<void> begin(const WebServerOptions& options, TlsContext context, const Clock& clock) {
    TRY_ASSIGN(server_, WebServer::start(options, std::move(context), app_, clock));
    return {};
  }

  int port() const override { return server_->port(); }

  PushStats stats() const override {
    const WebStats web = server_->stats();
    PushStats stats{web.connections, web.accepted, 0, app_.bytes(), 0, 0, web.times};
    for (const auto& [status, count] : web.answers) {
      (status == 204 ? stats.pushes : status == 503 ? stats.put_off : stats.refused) += count;
    }
    return stats;
  }

  std::vector<Refusal> take_refusals() override { return app_.take_refusals(); }

 private:
  PushApp app_;
  std::unique_ptr<WebServer> server_;  // goes first
};

}  // namespace

Result<std::unique_ptr<PushServer>> PushServer::start(PushServerOptions options, TlsContext context,
                                                      const Clock& clock) {
  TRY_ASSIGN(SpoolWriter spool, SpoolWriter::open(options.spool));
  WebServerOptions web;
  web.host = options.host;
  web.port = options.port;
  web.workers = 0;
  web.connections = kPushConnections;
  web.sweep = 500 * kMillisecond;
  web.limits.idle = 2 * kMinute;
  web.limits.body = kMostPushBytes;
  auto server = std::make_unique<WebPushServer>(std::move(options.key), std::move(spool));
  TRY(server->begin(web, std::move(context), clock));
  return std::unique_ptr<PushServer>(std::move(server));
}

}  // namespace kneepoint
