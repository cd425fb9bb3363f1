// SPDX-License-Identifier: Apache-2.0
//
// What agents of one allocation say to each other, and the connection by which they do: a channel
// on a socket, and the clock. Both sides send a sign of life every two seconds; a side that was
// silent for too long is gone, though no one said so (a node without power closes no connection).
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/file.h"
#include "agents/agent/pod/pod.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/hash.h"

namespace kneepoint::agent {

// What agents of one allocation say to each other: a length, a letter and a payload. The same
// messages go over the authenticated link between pods (Channel) and over the socket inside
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

constexpr Nanoseconds kSignOfLife = 2 * kSecond;
constexpr Nanoseconds kSilence = 8 * kSecond;
constexpr Nanoseconds kGreetingLimit = 5 * kSecond;

class Link {
 public:
  // `socket` is non-blocking and connected.
  Link(Fd socket, Channel channel, Nanoseconds now);

  void watch(std::vector<pollfd>& entries) const;
  // Reads and writes what can be without waiting, and looks at the clock.
  void turn(Nanoseconds now);
  std::optional<Message> next();
  void send(const Message& message);
  void close(const std::string& why);

  bool is_open() const { return socket_.is_open() && channel_.is_open(); }
  bool is_closed() const { return !socket_.is_open(); }
  const std::string& problem() const { return problem_; }  // why it is closed

 private:
  void receive();
  void write_out();

  Fd socket_;
  Channel channel_;
  std::string problem_;
  Nanoseconds begun_;
  Nanoseconds now_;
  Nanoseconds heard_;
  Nanoseconds told_;
  bool ended_ = false;  // the other side will say no more
};

// Finding one peer: resolve its name, connect, greet; when any of that fails, again after a while.
// Pods start in any order, and a name is there only some time after its pod.
struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// "10.1.2.3", "fd00::1"; no names.
std::optional<Address> numeric_address(const std::string& text, int port);
// Of a socket in the file system; nothing if the path is empty or too long.
std::optional<Address> unix_address(const std::string& path);

class PodFinder {
 public:
  PodFinder(const PodSettings& settings, int index);

  void watch(std::vector<pollfd>& entries) const;
  void turn(Nanoseconds now);
  // The open link, once there is one.
  std::optional<Link> take();
  const std::string& problem() const { return problem_; }  // of the last try

 private:
  void begin(Nanoseconds now);
  void resolve(Nanoseconds now);
  void connect_to(const Address& address, Nanoseconds now);
  void look_at_connection(Nanoseconds now);
  void again(const std::string& why, Nanoseconds now);

  const PodSettings& settings_;
  int index_;
  std::string name_;
  Fd answer_;  // of the process that resolves
  std::string answered_;
  Fd socket_;  // connecting
  std::optional<Link> link_;
  Nanoseconds wake_ = 0;
  Nanoseconds deadline_ = 0;  // of the connecting
  Nanoseconds pause_;
  std::string problem_ = "not looked for yet";
};

}  // namespace kneepoint::agent
