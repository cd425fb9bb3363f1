// SPDX-License-Identifier: Apache-2.0
//
// The two rates that a roofline is made of, each the best of several tries within a time budget: a
// busy moment can only make a try slower.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {

// Which share of `threads` CPUs this process really had since it was made: much below 1, and other
// programs were in the way.
class Attention {
 public:
  Attention();
  double share(int threads) const;

 private:
  Nanoseconds wall_;
  double cpu_;
};

// Floating point operations per second of one core in single precision, by the gemm of the
// data_parallel workload.
double gemm_rate(Nanoseconds budget);

// False in a build without OpenMP: then every rate is that of one core.
bool can_use_threads();

// Bytes per second of a[i] = b[i] + s c[i] in doubles, 24 bytes an element, on `threads` threads
// that each first touch what they use; 0 when there is no memory for it.
double triad_rate(std::int64_t elements, int threads, Nanoseconds budget);

// How large the arrays of a bandwidth measurement may and must be: larger than the caches, smaller
// than the memory that this process may use.

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
