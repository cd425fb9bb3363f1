// SPDX-License-Identifier: Apache-2.0
//
// The record endpoint: one thread, one epoll, any number of agents. Pushes that arrive together are
// put on disk together (one fdatasync) and only then acknowledged. It writes its spool and nothing
// else; what is in it is the engine's to take.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/server/http/tls.h"
#include "orchestrator/server/push/stats.h"

namespace kneepoint {

struct PushServerOptions {
  std::string host = "127.0.0.1";  // a name or an address
  int port = 0;                    // 0: the kernel chooses
  std::string key;                 // from which tokens are derived
  std::string spool;               // folder
};

// An allocation for which somebody came with a wrong token, and how often since the last question.
struct Refusal {
  std::string allocation;
  int count = 0;
};

class PushServer {
 public:
  // Listens and serves until it is destroyed.
  static Result<std::unique_ptr<PushServer>> start(PushServerOptions options, TlsContext context,
                                                   const Clock& clock);
  virtual ~PushServer() = default;
  virtual int port() const = 0;
  virtual PushStats stats() const = 0;
  virtual std::vector<Refusal> take_refusals() = 0;
};

}  // namespace kneepoint
