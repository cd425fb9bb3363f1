// SPDX-License-Identifier: Apache-2.0
//
// Connections of the dashboard and of the record endpoint: one thread with one epoll for all of
// them and their streams, and a few workers for the answers, so that one slow question stops nobody
// else's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/server/http/durations.h"
#include "orchestrator/server/http/sockets.h"
#include "orchestrator/server/http/web_app.h"
#include "orchestrator/server/http/web_connection.h"

namespace kneepoint {

struct WebServerOptions {
  std::string host = "127.0.0.1";          // a name or an address
  int port = 0;                            // 0: the kernel chooses
  std::size_t workers = 4;                 // 0: the loop answers itself, what came together at once
  std::size_t connections = 1024;          // more are turned away
  std::size_t streams = 512;               // of them; more are answered with 429
  std::size_t questions = 256;             // that wait for a worker; more are answered with 503
  Nanoseconds look = 500 * kMillisecond;   // how often topics are looked at
  Nanoseconds keep_alive = 15 * kSecond;   // after so long a silence a stream gets a comment
  Nanoseconds sweep = 100 * kMillisecond;  // how often limits are looked at
  WebLimits limits;
};

struct WebStats {
  std::uint64_t connections = 0;         // open now
  std::uint64_t streams = 0;             // of them
  std::uint64_t accepted = 0;            // connections ever
  std::map<int, std::uint64_t> answers;  // by status
  Durations times;                       // of answers that are out, streams apart
};

class WebServer {
 public:
  // Listens and serves until it is destroyed. No context: without TLS.
  static Result<std::unique_ptr<WebServer>> start(const WebServerOptions& options,
                                                  std::optional<TlsContext> context, WebApp& app,
                                                  const Clock& clock);
  virtual ~WebServer() = default;
  virtual int port() const = 0;
  virtual WebStats stats() const = 0;
};

}  // namespace kneepoint
