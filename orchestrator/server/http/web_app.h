// SPDX-License-Identifier: Apache-2.0
//
// What a web server serves: the seam between connections (web_server.h) and answers (the dashboard,
// the record endpoint).
// An event stream belongs to a topic; each of its frames is the whole state of the topic, so a slow
// reader misses frames without missing anything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/server/http/message.h"

namespace kneepoint {

struct WebRequest {
  IncomingRequest head;
  std::string body;
};

// What the readers of a topic are to see now.
struct TopicFrame {
  std::string topic;
  std::uint64_t version = 0;  // grows with each change
  std::shared_ptr<const std::string> bytes;
  bool last = false;  // the stream ends after it
};

struct WebAnswer {
  HttpReply reply;
  std::optional<TopicFrame> stream;  // the reply opens an event stream that begins so
};

class WebApp {
 public:
  virtual ~WebApp() = default;
  // Before a body is read, on the server's own thread: what to refuse the request with.
  virtual std::optional<HttpReply> refusal(const IncomingRequest& head) = 0;
  // On the thread of a worker.
  virtual WebAnswer answer(const WebRequest& request, std::size_t worker) = 0;
  // Of a server without workers, on its own thread: all requests that came together, so that what
  // they need can be done once.
  virtual std::vector<WebAnswer> answer_together(const std::vector<WebRequest>& requests) {
    std::vector<WebAnswer> answers;
    for (const WebRequest& request : requests) answers.push_back(answer(request, 0));
    return answers;
  }
  // On the thread of some worker, one call at a time: where these topics stand.
  virtual std::vector<TopicFrame> look(const std::vector<std::string>&) { return {}; }
};

}  // namespace kneepoint
