// SPDX-License-Identifier: Apache-2.0
//
// What the kernel accounts to our control group, in both versions of them: CPU time of all that
// belongs to us on this node, whoever started it (ranks that srun started are no children of ours),
// and how often it killed for want of memory, the one sign by which that differs from any other
// SIGKILL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kneepoint::agent {

struct CgroupPlaces {
  std::string self = "/proc/self/cgroup";
  std::string root = "/sys/fs/cgroup";
};

// Folders that may hold the account, the likeliest first; pure. Of a Slurm job the whole job's, of
// a pod (`in_pod`) the container's; none where neither is to be seen.
std::vector<std::string> account_folders(std::string_view self, const std::string& root,
                                         bool in_pod);

// Seconds, by the text of cpu.stat or cpuacct.usage.
std::optional<double> parse_account(std::string_view text);

class CpuAccount {
 public:
  explicit CpuAccount(bool in_pod, const CgroupPlaces& places = {});
  std::optional<double> seconds() const;  // so far; nothing without an account

 private:
  std::string file_;
};

// The file that holds the count of kills, from the text of /proc/self/cgroup; "" if there is none.
std::string memory_events_path(std::string_view self);

// The same file as a container sees it that has the names of the host's groups, but its own group
// in the place of the root.
std::string memory_events_path_in_container(std::string_view path);

// The number after "oom_kill " at the start of a line.
std::optional<std::int64_t> parse_oom_kills(std::string_view memory_events);

// Of this process's group, now; nullopt if it can't be known.
std::optional<std::int64_t> count_oom_kills();

}  // namespace kneepoint::agent
