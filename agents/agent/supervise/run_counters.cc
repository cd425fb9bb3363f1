// SPDX-License-Identifier: Apache-2.0
//
// Reading a clock may interrupt the CPU it belongs to, so it is done rarely. /proc/stat counts in
// ticks of 10 ms, so a step of less than 0.2 s says nothing.
#include "agents/agent/supervise/run_counters.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "agents/agent/file.h"
#include "agents/agent/text.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {

// The root of all control groups is nobody's account: it holds the whole machine. It is known by
// what only the root has (release_agent, version 1) or has not (cgroup.events, version 2).
// Version 2 has memory.events, version 1 has memory.oom_control; both say "oom_kill N" on a line.

namespace {

constexpr std::string_view kJob = "/job_";

// ".../job_12/step_0/task_1" -> ".../job_12"; "" if there is no job in it.
std::string_view job_part(std::string_view path) {
  for (std::size_t at = path.find(kJob); at != std::string_view::npos;
       at = path.find(kJob, at + 1)) {
    const std::size_t digits = at + kJob.size();
    const std::size_t end = std::min(path.find_first_not_of("0123456789", digits), path.size());
    if (end > digits && (end == path.size() || path[end] == '/')) return path.substr(0, end);
  }
  return {};
}

bool is_there(const std::string& path) {
  return access(path.c_str(), R_OK) == 0;
}

// The file in this folder that has the account; "" if it has none that is ours.
std::string account_in(const std::string& folder) {
  const std::string first = folder + "/cpuacct.usage";
  if (is_there(first) && !is_there(folder + "/release_agent")) return first;
  const std::string second = folder + "/cpu.stat";
  if (is_there(second) && is_there(folder + "/cgroup.events")) return second;
  return "";
}

// Controllers and path of each line NUMBER:CONTROLLERS:PATH; version 2 has no controllers.
template <typename Visit>
void for_each_group(std::string_view self, const Visit& visit) {
  for (const std::string_view line : split(self, '\n')) {
    const std::size_t colon = line.find(':');
    const std::size_t second = colon == std::string_view::npos ? colon : line.find(':', colon + 1);
    if (second == std::string_view::npos) continue;
    visit(std::string(line.substr(colon + 1, second - colon - 1)), line.substr(second + 1));
  }
}

bool has_controller(const std::string& controllers, const std::string& name) {
  return ("," + controllers + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

std::vector<std::string> account_folders(std::string_view self, const std::string& root,
                                         bool in_pod) {
  std::vector<std::string> folders;
  for_each_group(self, [&](const std::string& controllers, std::string_view whole) {
    const std::string path(in_pod ? whole : job_part(whole));
    if (!controllers.empty() && !has_controller(controllers, "cpuacct")) return;
    if (path.empty() && !in_pod) return;
    std::vector<std::string> mounts = {root + "/" + controllers, root + "/cpuacct"};
    if (controllers.empty()) mounts = {root, root + "/unified"};
    for (const std::string& mount : mounts) {
      folders.push_back(mount + (path == "/" ? "" : path));
      // A container may see its own group as the root, under whatever path it really has.
      if (in_pod && path != "/") folders.push_back(mount);
    }
  });
  return folders;
}

std::optional<double> parse_account(std::string_view text) {
  if (const auto microseconds = named_counter(text, "usage_usec")) {
    return static_cast<double>(*microseconds) * 1e-6;
  }
  const auto nanoseconds = leading_number<std::int64_t>(text);
  if (!nanoseconds) return std::nullopt;
  return static_cast<double>(*nanoseconds) * 1e-9;
}

std::string find_account(bool in_pod, const CgroupPlaces& places) {
  for (const std::string& folder :
       account_folders(read_small(places.self, 64 * 1024), places.root, in_pod)) {
    if (std::string file = account_in(folder); !file.empty()) return file;
  }
  return "";
}

std::string memory_events_path(std::string_view self) {
  std::string first, second;
  for_each_group(self, [&](const std::string& controllers, std::string_view path) {
    const std::string group(path);
    if (first.empty() && has_controller(controllers, "memory")) {
      first = "/sys/fs/cgroup/memory" + group + "/memory.oom_control";
    }
    if (controllers.empty()) second = "/sys/fs/cgroup" + group + "/memory.events";
  });
  return first.empty() ? second : first;
}

std::string memory_events_path_in_container(std::string_view path) {
  const std::string_view root =
      path.ends_with("/memory.events") ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
  return std::string(root) + std::string(path.substr(path.rfind('/')));
}

namespace {

constexpr Nanoseconds kShortest = 200 * kMillisecond;
constexpr Nanoseconds kBeforeFirstLook = 300 * kMillisecond;  // clocks have risen by then
constexpr Nanoseconds kBetweenLooks = 5 * kSecond;
constexpr int kMostClocks = 1024;

// Of this process's group, now; nullopt if it can't be known.
std::optional<std::int64_t> count_oom_kills() {
  static const std::string path = memory_events_path(read_small("/proc/self/cgroup"));
  if (path.empty()) return std::nullopt;
  if (const auto count = named_counter(read_small(path), "oom_kill")) return count;
  return named_counter(read_small(memory_events_path_in_container(path)), "oom_kill");
}

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
  const auto words = words_of(proc_stat.substr(0, proc_stat.find('\n')));
  if (words.size() < 9) return std::nullopt;
  CpuTicks ticks;
  for (std::size_t field = 1; field <= 8; ++field) {
    const auto value = whole_number<std::uint64_t>(words[field]);
    if (!value) return std::nullopt;
    if (field != 4 && field != 5) ticks.busy += *value;
    if (field == 8) ticks.steal = *value;
  }
  return ticks;
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
    : ours_(ours),
      account_(ours == Ours::descendants ? "" : find_account(ours == Ours::pod)),
      before_(now()) {}

Counters RunCounters::now() const {
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  Counters counters{system_clock().steady()};
  if (const auto ticks = parse_cpu_ticks(read_small("/proc/stat", 4096))) {
    counters.busy_seconds =
        static_cast<double>(ticks->busy) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  counters.own_seconds = ours_ != Ours::descendants
                             ? parse_account(read_small(account_, 4096))
                             : cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN);
  counters.major_faults = children.ru_majflt;
  counters.swapped_pages = parse_swapped_pages(read_small("/proc/vmstat"));
  counters.oom_kills = count_oom_kills();
  return counters;
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
