// SPDX-License-Identifier: Apache-2.0
//
// Numbers are big-endian. A length is checked before anything is kept for it.
#include "agents/agent/pod/wire.h"

#include <sys/wait.h>

namespace kneepoint::agent {

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

std::optional<Message> MessageReader::next() {
  if (broken_ || rest_.size() < 4) return {};
  std::string_view view = rest_;
  const std::size_t length = take_u32(view);
  if (length < 1 || length > kMostMessage) {
    broken_ = true;
    rest_.clear();
    return {};
  }
  if (view.size() < length) return {};
  Message message{view[0], std::string(view.substr(1, length - 1))};
  rest_.erase(0, 4 + length);
  return message;
}

}  // namespace kneepoint::agent
