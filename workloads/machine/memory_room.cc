// SPDX-License-Identifier: Apache-2.0
//
// What can't be read sets no limit; the arrays are small enough for that.
#include "workloads/machine/memory_room.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>

namespace kneepoint::workloads {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr std::int64_t kLeast = 96 * kMebibyte;
constexpr std::int64_t kMost = 1024 * kMebibyte;
constexpr std::int64_t kTriadBytes = 3 * sizeof(double);

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::int64_t> number_in(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::int64_t> parse_available_memory(std::string_view meminfo) {
  constexpr std::string_view kName = "MemAvailable:";
  const std::size_t at = meminfo.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const auto kib = number_in(meminfo.substr(at + kName.size()));
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

std::string memory_cgroup(std::string_view proc_self_cgroup) {
  const std::size_t at = proc_self_cgroup.find("0::/");
  if (at == std::string_view::npos) return "";
  const std::string_view path = proc_self_cgroup.substr(at + 3);
  return "/sys/fs/cgroup" + std::string(path.substr(0, path.find('\n')));
}

std::int64_t memory_room() {
  std::int64_t room = parse_available_memory(read_text("/proc/meminfo")).value_or(kMost);
  std::string folder = memory_cgroup(read_text("/proc/self/cgroup"));
  while (folder.starts_with("/sys/fs/cgroup")) {
    const auto most = number_in(read_text(folder + "/memory.max"));  // "max": no number, no limit
    const auto used = number_in(read_text(folder + "/memory.current"));
    if (most && used) room = std::min(room, *most - *used);
    const std::size_t slash = folder.rfind('/');
    if (slash == 0 || slash == std::string::npos) break;
    folder.resize(slash);
  }
  return std::max<std::int64_t>(0, room);
}

std::optional<std::int64_t> triad_elements(std::int64_t cache_bytes, std::int64_t room) {
  const std::int64_t bytes = std::min(std::clamp(4 * cache_bytes, kLeast, kMost), room / 4);
  if (bytes < kLeast / 4 || 2 * bytes < 3 * cache_bytes) return std::nullopt;
  return bytes / kTriadBytes;
}

LastLevelCache last_level_cache() {
  LastLevelCache cache;
  std::set<std::string> shared;
  for (int cpu = 0; cpu < 4096; ++cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
    std::string last;
    for (int index = 0; index < 16; ++index) {
      std::string level = read_text(folder + std::to_string(index) + "/level");
      if (level.empty()) break;
      last = folder + std::to_string(index);
    }
    if (last.empty()) break;
    shared.insert(read_text(last + "/shared_cpu_list"));
    if (cpu == 0)
      cache.bytes = 1024 * number_in(read_text(last + "/size")).value_or(0);  // "32768K"
  }
  cache.count = std::max(1, static_cast<int>(shared.size()));
  return cache;
}

}  // namespace kneepoint::workloads
