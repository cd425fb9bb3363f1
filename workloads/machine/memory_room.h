// SPDX-License-Identifier: Apache-2.0
//
// How large the arrays of a bandwidth measurement may and must be: larger than the caches, smaller
// than the memory that this process may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kneepoint::workloads {

// Bytes free by /proc/meminfo's text.
std::optional<std::int64_t> parse_available_memory(std::string_view meminfo);

// The folder of this process's memory cgroup (version 2) by /proc/self/cgroup's text; "" for none.
std::string memory_cgroup(std::string_view proc_self_cgroup);

// Bytes that this process may still take: what is free, and what its cgroups and theirs allow.
std::int64_t memory_room();

// Elements of each of three arrays of doubles that no cache of `cache_bytes` in all can hold; none
// when `room` is too small for that.
std::optional<std::int64_t> triad_elements(std::int64_t cache_bytes, std::int64_t room);

struct LastLevelCache {
  std::int64_t bytes = 0;  // of the one that the first CPU uses; 0: not known
  int count = 1;           // how many the node has
};
LastLevelCache last_level_cache();

}  // namespace kneepoint::workloads
