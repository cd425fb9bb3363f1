// SPDX-License-Identifier: Apache-2.0
//
// The root of all control groups is nobody's account: it holds the whole machine. It is known by
// what only the root has (release_agent, version 1) or has not (cgroup.events, version 2).
// Version 2 has memory.events, version 1 has memory.oom_control; both say "oom_kill N" on a line.
#include "agents/agent/supervise/cgroup.h"

#include <unistd.h>

#include "agents/agent/file.h"
#include "agents/agent/text.h"

namespace kneepoint::agent {
namespace {

constexpr std::string_view kJob = "/job_";

// ".../job_12/step_0/task_1" -> ".../job_12"; "" if there is no job in it.
std::string_view job_part(std::string_view path) {
  for (std::size_t at = path.find(kJob); at != std::string_view::npos;
       at = path.find(kJob, at + 1)) {
    const std::size_t digits = at + kJob.size();
    const std::size_t end = std::min(path.find_first_not_of("0123456789", digits), path.size());
    if (end > digits && (end == path.size() || path[end] == '/')) return path.substr(0, end);
  }
  return {};
}

bool is_there(const std::string& path) {
  return access(path.c_str(), R_OK) == 0;
}

// The file in this folder that has the account; "" if it has none that is ours.
std::string account_in(const std::string& folder) {
  const std::string first = folder + "/cpuacct.usage";
  if (is_there(first) && !is_there(folder + "/release_agent")) return first;
  const std::string second = folder + "/cpu.stat";
  if (is_there(second) && is_there(folder + "/cgroup.events")) return second;
  return "";
}

// Controllers and path of each line NUMBER:CONTROLLERS:PATH; version 2 has no controllers.
template <typename Visit>
void for_each_group(std::string_view self, const Visit& visit) {
  for_each_line(self, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::size_t second = colon == std::string_view::npos ? colon : line.find(':', colon + 1);
    if (second == std::string_view::npos) return;
    visit(std::string(line.substr(colon + 1, second - colon - 1)), line.substr(second + 1));
  });
}

bool has_controller(const std::string& controllers, const std::string& name) {
  return ("," + controllers + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

std::vector<std::string> account_folders(std::string_view self, const std::string& root,
                                         bool in_pod) {
  std::vector<std::string> folders;
  for_each_group(self, [&](const std::string& controllers, std::string_view whole) {
    const std::string path(in_pod ? whole : job_part(whole));
    if (!controllers.empty() && !has_controller(controllers, "cpuacct")) return;
    if (path.empty() && !in_pod) return;
    std::vector<std::string> mounts = {root + "/" + controllers, root + "/cpuacct"};
    if (controllers.empty()) mounts = {root, root + "/unified"};
    for (const std::string& mount : mounts) {
      folders.push_back(mount + (path == "/" ? "" : path));
      // A container may see its own group as the root, under whatever path it really has.
      if (in_pod && path != "/") folders.push_back(mount);
    }
  });
  return folders;
}

std::optional<double> parse_account(std::string_view text) {
  if (const auto microseconds = named_counter(text, "usage_usec")) {
    return static_cast<double>(*microseconds) * 1e-6;
  }
  const auto nanoseconds = leading_number<std::int64_t>(text);
  if (!nanoseconds) return std::nullopt;
  return static_cast<double>(*nanoseconds) * 1e-9;
}

CpuAccount::CpuAccount(bool in_pod, const CgroupPlaces& places) {
  for (const std::string& folder :
       account_folders(read_small(places.self, 64 * 1024), places.root, in_pod)) {
    file_ = account_in(folder);
    if (!file_.empty()) return;
  }
}

std::optional<double> CpuAccount::seconds() const {
  if (file_.empty()) return std::nullopt;
  return parse_account(read_small(file_, 4096));
}

std::string memory_events_path(std::string_view self) {
  std::string first, second;
  for_each_group(self, [&](const std::string& controllers, std::string_view path) {
    const std::string group(path);
    if (first.empty() && has_controller(controllers, "memory")) {
      first = "/sys/fs/cgroup/memory" + group + "/memory.oom_control";
    }
    if (controllers.empty()) second = "/sys/fs/cgroup" + group + "/memory.events";
  });
  return first.empty() ? second : first;
}

std::string memory_events_path_in_container(std::string_view path) {
  const std::string_view root =
      path.ends_with("/memory.events") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  return std::string(root) + std::string(path.substr(path.rfind('/')));
}

std::optional<std::int64_t> parse_oom_kills(std::string_view memory_events) {
  return named_counter(memory_events, "oom_kill");
}

std::optional<std::int64_t> count_oom_kills() {
  static const std::string path = memory_events_path(read_small("/proc/self/cgroup"));
  if (path.empty()) return std::nullopt;
  if (const auto count = parse_oom_kills(read_small(path))) return count;
  return parse_oom_kills(read_small(memory_events_path_in_container(path)));
}

}  // namespace kneepoint::agent
