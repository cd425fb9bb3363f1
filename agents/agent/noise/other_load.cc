// SPDX-License-Identifier: Apache-2.0
//
// /proc/stat counts in ticks of 10 ms, so a step of less than 0.2 s says nothing.
#include "agents/agent/noise/other_load.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "agents/agent/file.h"

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kShortest = 200 * kMillisecond;

std::optional<double> busy_seconds_now() {
  return parse_busy_seconds(read_small("/proc/stat", 4096), ::sysconf(_SC_CLK_TCK));
}

double seconds_of_descendants() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(who, &used);
    for (const timeval& t : {used.ru_utime, used.ru_stime}) {
      sum += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    }
  }
  return sum;
}

}  // namespace

std::optional<double> parse_busy_seconds(std::string_view proc_stat, long ticks_per_second) {
  // cpu  user nice system idle iowait irq softirq steal guest guest_nice
  if (!proc_stat.starts_with("cpu ") || ticks_per_second <= 0) return std::nullopt;
  const char* at = proc_stat.data() + 4;
  const char* const end = proc_stat.data() + std::min(proc_stat.find('\n'), proc_stat.size());
  double busy = 0;
  for (int field = 0; field < 8; ++field) {
    while (at < end && *at == ' ') ++at;
    unsigned long long ticks = 0;
    const auto [next, problem] = std::from_chars(at, end, ticks);
    if (problem != std::errc()) return std::nullopt;
    at = next;
    const bool idle = field == 3 || field == 4;
    if (!idle) busy += static_cast<double>(ticks);
  }
  return busy / static_cast<double>(ticks_per_second);
}

std::optional<double> OtherLoad::own_seconds_now() const {
  return account_ ? account_->seconds() : seconds_of_descendants();
}

OtherLoad::OtherLoad(Ours ours)
    : account_(ours == Ours::descendants ? std::nullopt
                                         : std::optional<CpuAccount>(ours == Ours::pod)),
      started_(system_clock().steady()),
      busy_(busy_seconds_now()),
      own_(own_seconds_now()) {}

std::optional<CoreUse> OtherLoad::use() const {
  const Nanoseconds elapsed = system_clock().steady() - started_;
  const auto busy = busy_seconds_now();
  if (!busy_ || !busy || elapsed < kShortest) return std::nullopt;
  CoreUse use{(*busy - *busy_) / to_seconds(elapsed), {}};
  const auto own = own_seconds_now();
  if (own && own_) use.own = (*own - *own_) / to_seconds(elapsed);
  return use;
}

std::optional<double> OtherLoad::cores() const {
  const auto seen = use();
  if (!seen || !seen->own) return std::nullopt;
  return std::max(0.0, seen->busy - *seen->own);
}

}  // namespace kneepoint::agent
