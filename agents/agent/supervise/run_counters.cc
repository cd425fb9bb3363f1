// SPDX-License-Identifier: Apache-2.0
//
// Reading a clock may interrupt the CPU it belongs to, so it is done rarely. /proc/stat counts in
// ticks of 10 ms, so a step of less than 0.2 s says nothing.
#include "agents/agent/supervise/run_counters.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "agents/agent/text.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kShortest = 200 * kMillisecond;
constexpr Nanoseconds kBeforeFirstLook = 300 * kMillisecond;  // clocks have risen by then
constexpr Nanoseconds kBetweenLooks = 5 * kSecond;
constexpr int kMostClocks = 1024;

template <typename Number>
std::optional<Number> change(std::optional<Number> after, std::optional<Number> before) {
  return after && before ? std::optional(*after - *before) : std::nullopt;
}

}  // namespace

double cpu_seconds_of(int who) {
  rusage used{};
  ::getrusage(who, &used);
  double sum = 0;
  for (const timeval& t : {used.ru_utime, used.ru_stime}) {
    sum += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  return sum;
}

std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat) {
  // cpu  user nice system idle iowait irq softirq steal guest guest_nice
  if (!proc_stat.starts_with("cpu ")) return std::nullopt;
  const char* at = proc_stat.data() + 4;
  const char* const end = proc_stat.data() + std::min(proc_stat.find('\n'), proc_stat.size());
  CpuTicks ticks;
  for (int field = 0; field < 8; ++field) {
    while (at < end && *at == ' ') ++at;
    std::uint64_t value = 0;
    const auto [next, problem] = std::from_chars(at, end, value);
    if (problem != std::errc()) return std::nullopt;
    at = next;
    if (field != 3 && field != 4) ticks.busy += value;
    if (field == 7) ticks.steal = value;
  }
  return ticks;
}

std::optional<double> parse_busy_seconds(std::string_view proc_stat, long ticks_per_second) {
  const auto ticks = parse_cpu_ticks(proc_stat);
  if (!ticks || ticks_per_second <= 0) return std::nullopt;
  return static_cast<double>(ticks->busy) / static_cast<double>(ticks_per_second);
}

std::optional<std::int64_t> parse_swapped_pages(std::string_view vmstat) {
  const auto in = named_counter(vmstat, "pswpin"), out = named_counter(vmstat, "pswpout");
  return in && out ? std::optional(*in + *out) : std::nullopt;
}

Counters operator-(const Counters& after, const Counters& before) {
  return {after.at - before.at,
          change(after.busy_seconds, before.busy_seconds),
          change(after.own_seconds, before.own_seconds),
          after.major_faults - before.major_faults,
          change(after.swapped_pages, before.swapped_pages),
          change(after.oom_kills, before.oom_kills)};
}

std::optional<CoreUse> core_use(const Counters& spent) {
  if (!spent.busy_seconds || spent.at < kShortest) return std::nullopt;
  CoreUse use{*spent.busy_seconds / to_seconds(spent.at), {}};
  if (spent.own_seconds) use.own = *spent.own_seconds / to_seconds(spent.at);
  return use;
}

std::optional<double> other_cores(const std::optional<CoreUse>& use) {
  if (!use || !use->own) return std::nullopt;
  return std::max(0.0, use->busy - *use->own);
}

Facts memory_facts(const Counters& spent) {
  Facts facts = {{"memory.major_faults", std::to_string(spent.major_faults)}};
  if (spent.swapped_pages) {
    facts.emplace_back("memory.swapped_pages", std::to_string(*spent.swapped_pages));
  }
  return facts;
}

RunCounters::RunCounters(Ours ours)
    : account_(ours == Ours::descendants ? std::nullopt
                                         : std::optional<CpuAccount>(ours == Ours::pod)),
      before_(now()) {}

Counters RunCounters::now() const {
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  return {system_clock().steady(),
          parse_busy_seconds(read_small("/proc/stat", 4096), ::sysconf(_SC_CLK_TCK)),
          account_ ? account_->seconds()
                   : cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN),
          children.ru_majflt,
          parse_swapped_pages(read_small("/proc/vmstat")),
          count_oom_kills()};
}

std::vector<double> clocks_now(const std::string& cpus, int most) {
  std::vector<double> khz;
  for (int cpu = 0; cpu < most; ++cpu) {
    const std::string text =
        read_small(cpus + "/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq", 64);
    if (text.empty()) break;
    khz.push_back(std::strtod(text.c_str(), nullptr));
  }
  return khz;
}

std::optional<double> busy_clock_mhz(std::vector<double> khz, int busy) {
  if (khz.empty()) return std::nullopt;
  std::sort(khz.rbegin(), khz.rend());
  const std::size_t count = std::min(khz.size(), static_cast<std::size_t>(std::max(1, busy)));
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += khz[i];
  return sum / static_cast<double>(count) / 1000;
}

ClockLooks::ClockLooks(int busy, std::string cpus)
    : busy_(busy), cpus_(std::move(cpus)), next_look_(system_clock().steady() + kBeforeFirstLook) {}

void ClockLooks::look(Nanoseconds now) {
  if (now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  if (const auto mhz = busy_clock_mhz(clocks_now(cpus_, kMostClocks), busy_)) {
    clock_sum_ += *mhz;
    ++looks_;
  }
}

Facts ClockLooks::facts() const {
  if (looks_ == 0) return {};
  return {{"cpu.clock_mhz_during", format_number("%.0f", clock_sum_ / looks_)}};
}

}  // namespace kneepoint::agent
