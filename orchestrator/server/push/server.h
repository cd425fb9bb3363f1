// SPDX-License-Identifier: Apache-2.0
//
// The record endpoint takes POST /v1/allocations/ALLOCATION/ATTEMPT/records with the allocation's
// token and whole lines of records (docs/reference/push.md): a web server of one thread, for any
// number of agents. Pushes that arrive together are put on disk together (one fdatasync) and only
// then acknowledged. It writes its spool and nothing else; what is in it is the engine's to take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/server/http/web_server.h"
#include "orchestrator/store/push_spool.h"

namespace kneepoint {

constexpr std::size_t kMostPushBytes = 1 << 20;

// An allocation's token, in hexadecimal: whoever holds it may push for that allocation and no
// other.
std::string push_token(std::string_view key, std::string_view allocation);

struct PushVerdict {
  int status = 0;  // 0: its body is wanted
  std::string why;
  std::string allocation;
  std::string attempt;
  bool wrong_token = false;
};
// Before the body is read: a stranger's is never kept.
PushVerdict judge_push(const IncomingRequest& request, std::string_view key);
// 0, or the status to answer.
int judge_push_body(std::string_view body);

struct PushStats {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;     // connections ever
  std::uint64_t pushes = 0;       // acknowledged
  std::uint64_t refused = 0;      // answered with 4xx or 5xx, but for those
  std::uint64_t put_off = 0;      // answered with 503
  Durations time;                 // of all answers, as WebStats has it
};

class PushServer final : private WebApp {
 public:
  // Listens and serves until it is destroyed. `key`: from which tokens are derived; `spool`:
  // folder.
  static Result<std::unique_ptr<PushServer>> start(const std::string& host, int port,
                                                   const std::string& key, const std::string& spool,
                                                   TlsContext context, const Clock& clock);
  int port() const { return server_->port(); }
  PushStats stats() const;
  // Sentences: for which allocations somebody came with a wrong token since the last question.
  std::vector<std::string> news();

 private:
  struct Count {
    int all = 0, fresh = 0;
  };

  PushServer(std::string key, SpoolWriter spool) : key_(std::move(key)), spool_(std::move(spool)) {}
  std::optional<HttpReply> refusal(const IncomingRequest& head) override;
  WebAnswer answer(const WebRequest& request, std::size_t) override {
    return answer_together({request}).front();
  }
  std::vector<WebAnswer> answer_together(const std::vector<WebRequest>& requests) override;
  void note_wrong_token(const std::string& allocation);

  const std::string key_;
  SpoolWriter spool_;
  std::mutex mutex_;  // of refusals_
  std::map<std::string, Count> refusals_;
  std::unique_ptr<WebServer> server_;  // goes first
};

}  // namespace kneepoint
