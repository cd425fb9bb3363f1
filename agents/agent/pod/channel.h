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

#include "agents/agent/pod/wire.h"
#include "orchestrator/base/hmac.h"

namespace kneepoint::agent {

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
