// SPDX-License-Identifier: Apache-2.0
//
// stderr is left in its pipe: nobody reads it, and an answer is short.
#include "agents/agent/ask.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace kneepoint::agent {
namespace {

constexpr std::size_t kLongestAnswer = 64 * 1024;

}  // namespace

std::string ask_program(const std::vector<std::string>& argv, const Environment& additions,
                        Nanoseconds limit) {
  auto child = start_child(argv, additions);
  if (!child) return "";
  std::string text;
  const Nanoseconds deadline = system_clock().steady() + limit;
  char buffer[4096];
  while (text.size() < kLongestAnswer) {
    const Nanoseconds left = deadline - system_clock().steady();
    pollfd entry{child->out.fd(), POLLIN, 0};
    if (left <= 0 || poll(&entry, 1, static_cast<int>(left / kMillisecond) + 1) == 0) break;
    const ssize_t n = read(child->out.fd(), buffer, sizeof buffer);
    if (n == 0) break;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR && errno != EAGAIN) break;
  }
  kill_leftovers(child->pid, kSecond);
  return text;
}

}  // namespace kneepoint::agent
