// SPDX-License-Identifier: Apache-2.0
//
// What agents of one allocation say to each other: a length, a letter and a payload. The same
// messages go over the authenticated link between pods (channel.h) and over the socket inside
// pod 0 that `exec`, `spread` and `run` use; on a link an id of the process comes first.
//
//   to a pod          R start: shell text            K signal: one byte     W may send so much more
//                     C kill what is left behind     G goodbye              H I am here
//   back              O output: stream (1, 2), data  X end: kind, code, text
//                     c killed: how many, all gone?  H I am here            T I was told to end
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kneepoint::agent {

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

}  // namespace kneepoint::agent
