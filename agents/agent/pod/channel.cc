// SPDX-License-Identifier: Apache-2.0
//
// Until the other side has proved itself at most one greeting of it is kept.
#include "agents/agent/pod/link.h"

#include <sys/wait.h>

#include "orchestrator/base/ensure.h"

namespace kneepoint::agent {

using namespace std::string_view_literals;

// Numbers are big-endian. A length is checked before anything is kept for it.

int ProcessEnd::exit_code() const {
  switch (kind) {
    case Kind::exited:
      return code;
    case Kind::signalled:
      return 128 + code;
    case Kind::not_started:
      return 127;
    case Kind::lost:
      return 255;
  }
  return 255;
}

void put_u32(std::string& text, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255U);
}

std::uint32_t take_u32(std::string_view& text) {
  if (text.size() < 4) return 0;
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(text[i]);
  text.remove_prefix(4);
  return value;
}

Message message_about(char type, std::uint32_t id, std::string_view rest) {
  Message message{type, ""};
  put_u32(message.payload, id);
  message.payload += rest;
  return message;
}

std::string encoded(const Message& message) {
  std::string text;
  put_u32(text, static_cast<std::uint32_t>(1 + message.payload.size()));
  text += message.type;
  return text + message.payload;
}

std::string encoded(const ProcessEnd& end) {
  return std::string{static_cast<char>(end.kind), static_cast<char>(end.code)} + end.text;
}

ProcessEnd decoded_end(std::string_view payload) {
  if (payload.size() < 2 || payload[0] < 0 || payload[0] > 3) {
    return {ProcessEnd::Kind::lost, 0, "an end that can't be read"};
  }
  return {static_cast<ProcessEnd::Kind>(payload[0]), static_cast<unsigned char>(payload[1]),
          std::string(payload.substr(2))};
}

ProcessEnd end_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return {ProcessEnd::Kind::signalled, WTERMSIG(wait_status), ""};
  }
  return {ProcessEnd::Kind::exited, WEXITSTATUS(wait_status), ""};
}

Message message_of(const Leftovers& killed) {
  return message_about('c', static_cast<std::uint32_t>(killed.killed), killed.gone ? "\1" : "\0"sv);
}

Leftovers decoded_leftovers(std::string_view payload) {
  const auto killed = static_cast<int>(take_u32(payload));
  return {killed, payload.empty() || payload[0] != 0};
}

namespace {

// What the first message takes with its length; 0: more bytes are needed to say.
std::size_t size_of_first(std::string_view bytes) {
  return bytes.size() < 4 ? 0 : 4 + std::size_t{take_u32(bytes)};
}
bool is_possible(std::size_t size) {
  return size > 4 && size <= 4 + kMostMessage;
}

}  // namespace

std::optional<Message> MessageReader::next() {
  const std::size_t size = size_of_first(rest_);
  if (size == 0 || broken_) return {};
  broken_ = !is_possible(size);
  if (broken_) rest_.clear();
  if (rest_.size() < size) return {};
  Message message{rest_[4], rest_.substr(5, size - 5)};
  rest_.erase(0, size);
  return message;
}

namespace {

constexpr std::string_view kMagic = "kneepoint link 1";
constexpr std::size_t kHello = 16 + kNonceBytes;
constexpr std::size_t kMostGreeting = kHello + kMacBytes;
static_assert(kMagic.size() == 16);

std::string numbered(std::uint64_t number, std::string_view message) {
  std::string text;
  put_u32(text, static_cast<std::uint32_t>(number >> 32U));
  put_u32(text, static_cast<std::uint32_t>(number));
  text += message;
  return text;
}

}  // namespace

Channel::Channel(Side side, std::string_view key, std::string_view who, const std::string& nonce)
    : side_(side), key_(key), who_(who), own_nonce_(nonce) {
  if (side_ == Side::leader) out_ = std::string(kMagic) + own_nonce_;
}

void Channel::fail(const std::string& why) {
  state_ = State::failed;
  problem_ = why;
  in_.clear();
  out_.clear();
}

std::string Channel::proof(const char* of) const {
  std::string text = of;
  text += '\0';
  text += nonces_;  // of a fixed length, so that the name can't run into them
  text += who_;
  return hmac_sha256(key_, text);
}

void Channel::derive() {
  const std::string down = proof("key leader to peer");
  const std::string up = proof("key peer to leader");
  send_key_ = side_ == Side::leader ? down : up;
  receive_key_ = side_ == Side::leader ? up : down;
  key_.clear();
  state_ = State::open;
}

bool Channel::greet() {
  if (state_ == State::hello) {
    const std::size_t wanted = side_ == Side::leader ? kHello + kMacBytes : kHello;
    const std::size_t look = std::min(in_.size(), kMagic.size());
    if (in_.compare(0, look, kMagic, 0, look) != 0)
      return fail("it does not speak as an agent"), false;
    if (in_.size() < wanted) return false;
    const std::string theirs = in_.substr(kMagic.size(), kNonceBytes);
    nonces_ = side_ == Side::leader ? own_nonce_ + theirs : theirs + own_nonce_;
    if (side_ == Side::peer) {
      out_ += std::string(kMagic) + own_nonce_ + proof("peer");
      state_ = State::proof;
    } else {
      if (!same_bytes(in_.substr(kHello, kMacBytes), proof("peer"))) {
        return fail("it does not know the allocation's key"), false;
      }
      out_ += proof("leader");
      derive();
    }
    in_.erase(0, wanted);
    return true;
  }
  if (in_.size() < kMacBytes) return false;
  if (!same_bytes(in_.substr(0, kMacBytes), proof("leader"))) {
    return fail("it does not know the allocation's key"), false;
  }
  in_.erase(0, kMacBytes);
  derive();
  return true;
}

void Channel::take(std::string_view bytes) {
  while (!bytes.empty() && state_ != State::failed) {
    if (state_ == State::open) {
      in_ += bytes;
      return;
    }
    const std::string_view piece =
        bytes.substr(0, kMostGreeting - std::min(in_.size(), kMostGreeting));
    if (piece.empty()) return fail("its greeting is too long");
    in_ += piece;
    bytes.remove_prefix(piece.size());
    while (state_ != State::open && greet()) {
    }
  }
}

void Channel::send(const Message& message) {
  ENSURE(state_ == State::open || state_ == State::failed, "a message before the greeting");
  if (state_ == State::failed) return;
  const std::string text = encoded(message);
  out_ += text;
  out_ += hmac_sha256(send_key_, numbered(sent_++, text));
}

std::optional<Message> Channel::next() {
  const std::size_t size = size_of_first(in_);
  if (state_ != State::open || size == 0) return {};
  if (!is_possible(size)) return fail("a message of an impossible length"), std::nullopt;
  if (in_.size() < size + kMacBytes) return {};
  const std::string text = in_.substr(0, size);
  if (!same_bytes(in_.substr(size, kMacBytes),
                  hmac_sha256(receive_key_, numbered(received_++, text)))) {
    return fail("a message that is not from it"), std::nullopt;
  }
  in_.erase(0, size + kMacBytes);
  return Message{text[4], text.substr(5)};
}

}  // namespace kneepoint::agent
