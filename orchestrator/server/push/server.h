// SPDX-License-Identifier: Apache-2.0
//
// The record endpoint: a web server of one thread, for any number of agents. Pushes that arrive
// together are put on disk together (one fdatasync) and only then acknowledged. It writes its spool
// and nothing else; what is in it is the engine's to take.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/server/http/durations.h"
#include "orchestrator/server/http/tls.h"

namespace kneepoint {

struct PushServerOptions {
  std::string host = "127.0.0.1";  // a name or an address
  int port = 0;                    // 0: the kernel chooses
  std::string key;                 // from which tokens are derived
  std::string spool;               // folder
};

struct PushStats {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;     // connections ever
  std::uint64_t pushes = 0;       // acknowledged
  std::uint64_t bytes = 0;        // of their records
  std::uint64_t refused = 0;      // answered with 4xx or 5xx, but for those
  std::uint64_t put_off = 0;      // answered with 503
  Durations time;                 // of all answers, as WebStats has it
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
