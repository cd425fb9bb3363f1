// SPDX-License-Identifier: Apache-2.0
//
// The root of all control groups is nobody's account: it holds the whole machine. It is known by
// what only the root has (release_agent, version 1) or has not (cgroup.events, version 2).
#include "agents/agent/supervise/cpu_account.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "agents/agent/file.h"

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

}  // namespace

std::vector<std::string> account_folders(std::string_view self, const std::string& root,
                                         bool in_pod) {
  std::vector<std::string> folders;
  while (!self.empty()) {  // NUMBER:CONTROLLERS:PATH
    const std::size_t newline = std::min(self.find('\n'), self.size());
    const std::string_view line = self.substr(0, newline);
    self.remove_prefix(std::min(newline + 1, self.size()));
    const std::size_t colon = line.find(':');
    const std::size_t second = colon == std::string_view::npos ? colon : line.find(':', colon + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers(line.substr(colon + 1, second - colon - 1));
    const std::string_view whole = line.substr(second + 1);
    const bool counts =
        controllers.empty() || ("," + controllers + ",").find(",cpuacct,") != std::string::npos;
    const std::string path(in_pod ? whole : job_part(whole));
    if (!counts || (path.empty() && !in_pod)) continue;
    std::vector<std::string> mounts = {root + "/" + controllers, root + "/cpuacct"};
    if (controllers.empty()) mounts = {root, root + "/unified"};
    for (const std::string& mount : mounts) {
      folders.push_back(mount + (path == "/" ? "" : path));
      // A container may see its own group as the root, under whatever path it really has.
      if (in_pod && path != "/") folders.push_back(mount);
    }
  }
  return folders;
}

std::optional<double> parse_account(std::string_view text) {
  constexpr std::string_view kUsage = "usage_usec ";
  double unit = 1e-9;
  if (text.starts_with(kUsage)) {
    text.remove_prefix(kUsage.size());
    unit = 1e-6;
  }
  unsigned long long number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return std::nullopt;
  return static_cast<double>(number) * unit;
}

CpuAccount::CpuAccount(bool in_pod, const AccountPlaces& places) {
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

}  // namespace kneepoint::agent
