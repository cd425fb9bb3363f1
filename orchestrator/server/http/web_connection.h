// SPDX-License-Identifier: Apache-2.0
//
// One caller's connection: requests in, answers or an event stream out, never blocking. A whole
// request must have come within one limit of time, however its bytes trickle in; while it waits for
// its answer nothing more is read.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/server/http/sockets.h"
#include "orchestrator/server/http/web_app.h"

namespace kneepoint {

struct WebLimits {
  Nanoseconds request = 10 * kSecond;  // for a handshake and a whole request to arrive
  Nanoseconds idle = kMinute;          // between requests
  Nanoseconds write = 30 * kSecond;    // for a reader to take anything at all
  Nanoseconds linger = kSecond;        // for a sender to hear why it was refused
  std::size_t body = 64 << 10;
};

class WebConnection {
 public:
  enum class Turn { want_read, want_write, request_ready, waiting, closed };

  WebConnection(const TlsContext* context, int fd, const WebLimits& limits, Nanoseconds now)
      : limits_(limits), stream_(context, fd), deadline_(now + limits.request), began_(now) {}

  // Goes as far as it can. request_ready: take_request(), then answer() or open_stream().
  Turn turn(WebApp& app, Nanoseconds now);
  WebRequest take_request();
  void answer(const HttpReply& reply, Nanoseconds now);
  void open_stream(const HttpReply& reply, const TopicFrame& first, Nanoseconds now);

  // The status of a request that was refused before anybody was asked; 0: none. Given once.
  int take_refused() { return std::exchange(refused_, 0); }
  // How long answers took that are out by now: from the connection, or on a kept one the request's
  // first byte, to the answer's last. Each is given once.
  std::vector<Nanoseconds> take_times() { return std::exchange(times_, {}); }

  bool is_stream() const { return is_stream_; }
  bool is_waiting() const { return waiting_; }
  const std::string& topic() const { return topic_; }
  // Sent once what is being written has gone; takes the place of one that still waits. False: it
  // was shown before.
  bool show(const TopicFrame& frame, Nanoseconds now);
  void keep_alive(Nanoseconds now);

  bool is_late(Nanoseconds now) const { return now > deadline_; }
  // Time is over: a request that has begun is told so.
  void give_up(Nanoseconds now);

 private:
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

  bool read_request(WebApp& app, Nanoseconds now);  // false: more bytes are needed
  Turn write_some(Nanoseconds now);                 // waiting: all is written
  Turn drain();
  void put(std::string bytes, Nanoseconds now);
  void refuse(const HttpReply& reply, Nanoseconds now);

  const WebLimits& limits_;
  Stream stream_;
  std::string in_;
  std::shared_ptr<const std::string> out_;  // being written
  std::size_t written_ = 0;                 // of it
  std::shared_ptr<const std::string> next_;
  WebRequest request_;
  std::string topic_;
  std::uint64_t version_ = 0;
  std::size_t drained_ = 0;
  int refused_ = 0;  // status
  bool has_head_ = false;
  bool waiting_ = false;     // for answer()
  bool continuing_ = false;  // "100 Continue" is in out_
  bool closing_ = false;     // when out_ is written
  bool lingering_ = false;   // all is said; what still comes is thrown away
  bool is_stream_ = false;
  bool is_last_ = false;  // frame
  Nanoseconds deadline_;
  Nanoseconds began_;  // the request; 0: between requests
  std::vector<Nanoseconds> times_;
};

}  // namespace kneepoint
