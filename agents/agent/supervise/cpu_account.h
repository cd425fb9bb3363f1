// SPDX-License-Identifier: Apache-2.0
//
// CPU time of all that belongs to us on this node, whoever started it: what the kernel accounts to
// the control group of the batch job or of the pod. Ranks that srun started are no children of
// ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kneepoint::agent {

struct AccountPlaces {
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
  explicit CpuAccount(bool in_pod, const AccountPlaces& places = {});
  std::optional<double> seconds() const;  // so far; nothing without an account

 private:
  std::string file_;
};

}  // namespace kneepoint::agent
