// SPDX-License-Identifier: Apache-2.0
//
// Reading a clock may interrupt the CPU it belongs to, so it is done rarely.
#include "agents/agent/supervise/run_counters.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kBeforeFirstLook = 300 * kMillisecond;  // clocks have risen by then
constexpr Nanoseconds kBetweenLooks = 5 * kSecond;
constexpr int kMostClocks = 1024;

std::int64_t faults_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return used.ru_majflt;
}

std::optional<std::int64_t> swapped_pages_now() {
  return parse_swapped_pages(read_small("/proc/vmstat"));
}

}  // namespace

std::optional<std::int64_t> parse_swapped_pages(std::string_view vmstat) {
  std::int64_t sum = 0;
  for (const std::string_view name : {"pswpin ", "pswpout "}) {
    std::size_t at = vmstat.starts_with(name) ? 0 : vmstat.find("\n" + std::string(name));
    if (at == std::string_view::npos) return std::nullopt;
    if (vmstat[at] == '\n') ++at;
    const std::string_view digits = vmstat.substr(at + name.size());
    std::int64_t pages = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), pages).ec != std::errc()) {
      return std::nullopt;
    }
    sum += pages;
  }
  return sum;
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

RunCounters::RunCounters(int busy, std::string cpus)
    : busy_(busy),
      cpus_(std::move(cpus)),
      faults_(faults_of_children()),
      swapped_(swapped_pages_now()),
      next_look_(system_clock().steady() + kBeforeFirstLook) {}

void RunCounters::look(Nanoseconds now) {
  if (now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  if (const auto mhz = busy_clock_mhz(clocks_now(cpus_, kMostClocks), busy_)) {
    clock_sum_ += *mhz;
    ++looks_;
  }
}

Facts RunCounters::facts() const {
  Facts facts = {{"memory.major_faults", std::to_string(faults_of_children() - faults_)}};
  if (const auto now = swapped_pages_now(); now && swapped_) {
    facts.emplace_back("memory.swapped_pages", std::to_string(*now - *swapped_));
  }
  if (looks_ > 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", clock_sum_ / looks_);
    facts.emplace_back("cpu.clock_mhz_during", text);
  }
  return facts;
}

}  // namespace kneepoint::agent
