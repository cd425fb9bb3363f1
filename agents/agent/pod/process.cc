// SPDX-License-Identifier: Apache-2.0
//
// An end is told when the process is reaped and its pipes are empty; a daemon that holds them open
// does not delay it.
#include "agents/agent/pod/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace kneepoint::agent {
namespace {

constexpr std::size_t kMostProcesses = 4096;

}  // namespace

void PodProcesses::watch(std::vector<pollfd>& entries) const {
  for (const auto& [id, process] : processes_) {
    if (process.window == 0) continue;
    if (process.child.out.is_open()) entries.push_back({process.child.out.fd(), POLLIN, 0});
    if (process.child.err.is_open()) entries.push_back({process.child.err.fd(), POLLIN, 0});
  }
}

bool PodProcesses::pass_on(std::uint32_t id, Process& process, File& pipe, char stream,
                           Link& link) {
  if (!pipe.is_open() || process.window == 0) return false;
  std::array<char, kMostOutput> block;
  const std::size_t most = std::min<std::size_t>(block.size(), process.window);
  const ssize_t n = read(pipe.fd(), block.data(), most);
  if (n < 0 && errno == EINTR) return true;
  if (n < 0 && errno == EAGAIN) return false;
  if (n <= 0) {
    pipe.reset();
    return false;
  }
  process.window -= static_cast<std::uint32_t>(n);
  link.send(message_about(
      'O', id, std::string(1, stream) + std::string(block.data(), static_cast<std::size_t>(n))));
  return true;
}

void PodProcesses::reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    for (auto& [id, process] : processes_) {
      if (process.child.pid != pid || process.ended) continue;
      process.ended = true;
      process.wait_status = status;
    }
  }
}

void PodProcesses::turn(Link& link) {
  reap();
  for (auto entry = processes_.begin(); entry != processes_.end();) {
    auto& [id, process] = *entry;
    while (pass_on(id, process, process.child.out, 1, link)) {
    }
    while (pass_on(id, process, process.child.err, 2, link)) {
    }
    if (process.ended && process.window > 0) {
      link.send(message_about('X', id, encoded(end_of(process.wait_status))));
      entry = processes_.erase(entry);
    } else {
      ++entry;
    }
  }
}

void PodProcesses::start(std::uint32_t id, std::string_view text, Link& link) {
  const auto refuse = [&](const std::string& why) {
    link.send(message_about('X', id, encoded(ProcessEnd{ProcessEnd::Kind::not_started, 0, why})));
  };
  if (processes_.size() >= kMostProcesses) return refuse("too many processes");
  if (processes_.contains(id)) return;
  auto child = start_child({"/bin/sh", "-c", std::string(text)}, {});
  if (!child) return refuse(child.error().message);
  processes_[id].child = std::move(*child);
}

void PodProcesses::handle(const Message& message, Link& link) {
  std::string_view rest = message.payload;
  const std::uint32_t id = take_u32(rest);
  if (message.type == 'R') return start(id, rest, link);
  const auto found = processes_.find(id);
  if (found == processes_.end()) return;  // it has ended, and its end is on the way
  Process& process = found->second;
  if (message.type == 'W') {
    process.window = std::min(kWindow, process.window + std::min(take_u32(rest), kWindow));
  } else if (message.type == 'K' && !rest.empty() && !process.ended) {
    kill(-process.child.pid, static_cast<unsigned char>(rest[0]));
    if (rest[0] == SIGTERM) kill(-process.child.pid, SIGCONT);  // a stopped program can't end
  }
}

Leftovers PodProcesses::kill_all(Nanoseconds limit) {
  reap();
  for (auto& [id, process] : processes_) {
    if (process.ended) continue;
    kill(-process.child.pid, SIGKILL);
    process.ended = true;
    process.wait_status = SIGKILL;
  }
  return kill_leftovers(0, limit);
}

}  // namespace kneepoint::agent
