// SPDX-License-Identifier: Apache-2.0
//
// cgroup v2 has memory.events, v1 has memory.oom_control; both say "oom_kill N" on a line.
#include "agents/agent/supervise/memory_events.h"

#include <charconv>

#include "agents/agent/file.h"

namespace kneepoint::agent {

std::string memory_events_path(std::string_view proc_self_cgroup) {
  std::string unified;
  while (!proc_self_cgroup.empty()) {
    const std::size_t newline = proc_self_cgroup.find('\n');
    const std::string_view line = proc_self_cgroup.substr(0, newline);
    proc_self_cgroup.remove_prefix(newline == std::string_view::npos ? proc_self_cgroup.size()
                                                                     : newline + 1);
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (("," + std::string(controllers) + ",").find(",memory,") != std::string::npos) {
      return "/sys/fs/cgroup/memory" + path + "/memory.oom_control";
    }
    if (controllers.empty()) unified = "/sys/fs/cgroup" + path + "/memory.events";
  }
  return unified;
}

std::optional<std::int64_t> parse_oom_kills(std::string_view memory_events) {
  static constexpr std::string_view kKey = "oom_kill ";
  for (std::size_t at = 0; (at = memory_events.find(kKey, at)) != std::string_view::npos; ++at) {
    if (at > 0 && memory_events[at - 1] != '\n') continue;
    const std::string_view digits = memory_events.substr(at + kKey.size());
    std::int64_t count = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (result.ec == std::errc()) return count;
  }
  return std::nullopt;
}

std::string memory_events_path_in_container(std::string_view path) {
  const std::string_view root =
      path.ends_with("/memory.events") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  return std::string(root) + std::string(path.substr(path.rfind('/')));
}

std::optional<std::int64_t> count_oom_kills() {
  static const std::string path = memory_events_path(read_small("/proc/self/cgroup"));
  if (path.empty()) return std::nullopt;
  if (const auto count = parse_oom_kills(read_small(path))) return count;
  return parse_oom_kills(read_small(memory_events_path_in_container(path)));
}

}  // namespace kneepoint::agent
