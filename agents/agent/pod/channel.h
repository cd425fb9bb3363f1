// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a link between pod 0 (the leader) and another pod, without any socket: bytes in,
// messages out. Each side proves that it knows the allocation's key and which pod is meant, by
// HMAC-SHA-256 over both sides' random numbers. Every message then carries a code over its content
// and its number, under a key of this connection and direction: nobody else can add, change, drop
// or repeat one unnoticed. That is authentication and integrity, not secrecy: who can listen on
// the pods' network reads commands and output.
//
//   leader -> peer   magic, nonce
//   peer -> leader   magic, nonce, proof
//   leader -> peer   proof
//   both             length, type, payload, code
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/agent/supervise/child.h"
#include "orchestrator/base/hash.h"

namespace kneepoint::agent {

// What agents of one allocation say to each other: a length, a letter and a payload. The same
// messages go over the authenticated link between pods (channel.h) and over the socket inside
// pod 0 that `exec`, `spread` and `run` use; on a link an id of the process comes first.
//
//   to a pod          R start: shell text            K signal: one byte     W may send so much more
//                     C kill what is left behind     G goodbye              H I am here
//   back              O output: stream (1, 2), data  X end: kind, code, text
//                     c killed: how many, all gone?  H I am here            T I was told to end
struct Message {
  char type = 0;
  std::string payload;
};

constexpr std::size_t kMostMessage = 256 * 1024;  // of type and payload
constexpr std::size_t kMostOutput = 32 * 1024;    // of output in one message
constexpr std::uint32_t kWindow = 256 * 1024;     // of output on its way for one process

// How a process ended.
struct ProcessEnd {
  enum class Kind : char { exited = 0, signalled = 1, not_started = 2, lost = 3 };
  Kind kind = Kind::exited;
  int code = 0;  // exit code or signal
  std::string text;

  int exit_code() const;  // as shells say it: 128 + signal, 127 not started, 255 lost
};

void put_u32(std::string& text, std::uint32_t value);
// Takes it off the front; 0 when there is none.
std::uint32_t take_u32(std::string_view& text);

// A message of `type` that begins with a process's number.
Message message_about(char type, std::uint32_t id, std::string_view rest);
std::string encoded(const Message& message);  // length first
std::string encoded(const ProcessEnd& end);
ProcessEnd decoded_end(std::string_view payload);
ProcessEnd end_of(int wait_status);
Message message_of(const Leftovers& killed);  // 'c'
Leftovers decoded_leftovers(std::string_view payload);

// Messages out of pieces cut anywhere.
class MessageReader {
 public:
  void take(std::string_view bytes) { rest_ += bytes; }
  std::optional<Message> next();
  bool is_broken() const { return broken_; }  // a length that can't be

 private:
  std::string rest_;
  bool broken_ = false;
};

constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kNonceBytes = 32;

class Channel {
 public:
  enum class Side { leader, peer };

  // `who`: the name of the peer's pod, the same on both sides.
  Channel(Side side, std::string_view key, std::string_view who,
          const std::string& nonce = random_bytes(kNonceBytes));

  void take(std::string_view bytes);
  std::optional<Message> next();      // in order; none before the handshake is done
  void send(const Message& message);  // only when open
  std::string& to_send() { return out_; }
  bool has_unsent() const { return !out_.empty(); }

  bool is_open() const { return state_ == State::open; }
  bool has_failed() const { return state_ == State::failed; }
  const std::string& problem() const { return problem_; }

 private:
  enum class State { hello, proof, open, failed };

  bool greet();  // one step of the handshake; false: more bytes are needed, or it failed
  void fail(const std::string& why);
  std::string proof(const char* of) const;
  void derive();

  Side side_;
  State state_ = State::hello;
  std::string key_;
  std::string who_;
  std::string own_nonce_;
  std::string nonces_;  // the leader's, then the peer's
  std::string send_key_;
  std::string receive_key_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::string in_;
  std::string out_;
  std::string problem_;
};

}  // namespace kneepoint::agent
