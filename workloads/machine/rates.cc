// SPDX-License-Identifier: Apache-2.0
//
// Tries go on until the budget is spent, two at least: the first one also warms up.
#include "workloads/machine/rates.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "workloads/numerics/mlp.h"

namespace kneepoint::workloads {
namespace {

constexpr int kFewestTries = 2;

// Seconds of the fastest try.
template <typename Work>
double best_of(Nanoseconds budget, const Work& work) {
  const Nanoseconds end = system_clock().steady() + budget;
  Nanoseconds best = 0;
  for (int tries = 0; tries < kFewestTries || system_clock().steady() < end; ++tries) {
    const Nanoseconds start = system_clock().steady();
    work();
    const Nanoseconds took = std::max<Nanoseconds>(1, system_clock().steady() - start);
    best = tries == 0 ? took : std::min(best, took);
  }
  return to_seconds(best);
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  double sum = 0;
  for (const timeval& t : {used.ru_utime, used.ru_stime}) {
    sum += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  return sum;
}

// Pages that no thread has touched yet, which a vector's would not be.
class Pages {
 public:
  explicit Pages(std::int64_t elements)
      : bytes_(static_cast<std::size_t>(elements) * sizeof(double)),
        memory_(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (good()) ::madvise(memory_, bytes_, MADV_HUGEPAGE);
  }
  ~Pages() {
    if (good()) ::munmap(memory_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  bool good() const { return memory_ != MAP_FAILED; }
  double* data() const { return static_cast<double*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

Attention::Attention() : wall_(system_clock().steady()), cpu_(cpu_seconds()) {}

double Attention::share(int threads) const {
  const double wall = to_seconds(system_clock().steady() - wall_);
  return wall > 0 ? (cpu_seconds() - cpu_) / (wall * threads) : 1;
}

bool can_use_threads() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

double gemm_rate(Nanoseconds budget) {
  constexpr Index kEdge = 384;  // a few ms: short enough to go undisturbed
  const std::vector<float> a(kEdge * kEdge, 0.5F), b(kEdge * kEdge, 0.25F);
  std::vector<float> c(kEdge * kEdge);
  Gemm gemm;
  const double seconds = best_of(budget, [&] {
    gemm.multiply(kEdge, kEdge, kEdge, row_major(a.data(), kEdge), row_major(b.data(), kEdge),
                  c.data());
  });
  return 2.0 * kEdge * kEdge * kEdge / seconds;
}

double triad_rate(std::int64_t elements, [[maybe_unused]] int threads, Nanoseconds budget) {
  const Pages first(elements), second(elements), third(elements);
  if (!first.good() || !second.good() || !third.good()) return 0;
  double* const a = first.data();
  double* const b = second.data();
  double* const c = third.data();
#pragma omp parallel for simd schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < elements; ++i) {
    a[i] = 0;
    b[i] = 1;
    c[i] = 2;
  }
  const double seconds = best_of(budget, [&] {
#pragma omp parallel for simd schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < elements; ++i) a[i] = b[i] + 3 * c[i];
  });
  return 24.0 * static_cast<double>(elements) / seconds;
}

// What can't be read sets no limit; the arrays are small enough for that.

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
