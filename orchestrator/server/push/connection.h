// SPDX-License-Identifier: Apache-2.0
//
// One agent's connection: requests in, answers out, never blocking. A push that is whole waits here
// until the server says that it is on disk; nothing more is read meanwhile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/server/http/tls.h"
#include "orchestrator/server/push/rules.h"
#include "orchestrator/store/push_spool.h"

namespace kneepoint {

constexpr Nanoseconds kRequestLimit = 10 * kSecond;  // for a handshake and a request to arrive
constexpr Nanoseconds kIdleLimit = 2 * kMinute;      // between requests

class PushConnection {
 public:
  enum class Turn { want_read, want_write, push_ready, waiting, closed };

  PushConnection(const TlsContext& context, int fd, Nanoseconds now)
      : stream_(context, fd), deadline_(now + kRequestLimit), began_(now) {}

  int fd() const { return stream_.fd(); }
  // Goes as far as it can. push_ready: take_push(), then answer().
  Turn turn(std::string_view key, Nanoseconds now);
  Push take_push();
  void answer(int status, std::string_view why);

  bool is_late(Nanoseconds now) const { return now > deadline_; }
  // Time is over: a request that has begun is told so.
  void give_up();

  // Of the last turn, for the server to count; each is told once.
  struct Answered {
    int status = 0;
    Nanoseconds time = 0;  // since the request began
  };
  struct TurnReport {
    std::vector<Answered> answers;  // written to their end
    std::string wrong_token;        // the allocation that it was not for
  };
  TurnReport take_report();

 private:
  bool take_request(std::string_view key, Nanoseconds now);  // false: more bytes are needed
  Turn after(TlsStream::Status status) const;

  TlsStream stream_;
  std::string in_;
  std::string out_;
  std::size_t written_ = 0;  // of out_
  int status_ = 0;           // of the answer in out_
  IncomingRequest request_;
  PushVerdict verdict_;
  std::string body_;
  bool has_head_ = false;
  bool waiting_ = false;  // for answer()
  bool closing_ = false;  // when out_ is written
  Nanoseconds deadline_;
  Nanoseconds began_;  // 0: between requests
  TurnReport report_;
};

}  // namespace kneepoint
