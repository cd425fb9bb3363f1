// SPDX-License-Identifier: Apache-2.0
//
// How often the kernel killed for want of memory in this process's cgroup: the one sign by which an
// OOM kill differs from any other SIGKILL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kneepoint::agent {

// The file that holds the count, from the text of /proc/self/cgroup; "" if there is none.
std::string memory_events_path(std::string_view proc_self_cgroup);

// The same file as a container sees it that has the names of the host's groups, but its own group
// in the place of the root.
std::string memory_events_path_in_container(std::string_view path);

// The number after "oom_kill " at the start of a line.
std::optional<std::int64_t> parse_oom_kills(std::string_view memory_events);

// Of this process's cgroup, now; nullopt if it can't be known.
std::optional<std::int64_t> count_oom_kills();

}  // namespace kneepoint::agent
