// SPDX-License-Identifier: Apache-2.0
//
// What happened on the node while a step ran, by what the kernel counts: who else used its CPUs (a
// load average can't tell, since it remembers our own runs for minutes), whether memory swapped,
// how fast the CPUs ran. A baseline that swapped, or ran at a lower clock, explains an efficiency
// above 1. What can't be read is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/provenance/provenance.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

// What the kernel accounts to our control group, in both versions of them: CPU time of all that
// belongs to us on this node, whoever started it (ranks that srun started are no children of ours),
// and how often it killed for want of memory, the one sign by which that differs from any other
// SIGKILL.
struct CgroupPlaces {
  std::string self = "/proc/self/cgroup";
  std::string root = "/sys/fs/cgroup";
};

// Folders that may hold the account, the likeliest first; pure. Of a Slurm job the whole job's, of
// a pod (`in_pod`) the container's; none where neither is to be seen.
std::vector<std::string> account_folders(std::string_view self, const std::string& root,
                                         bool in_pod);

// Seconds, by the text of cpu.stat or cpuacct.usage.
std::optional<double> parse_account(std::string_view text);

// The file that holds it; "": there is none that is ours.
std::string find_account(bool in_pod, const CgroupPlaces& places = {});

// The file that holds the count of kills, from the text of /proc/self/cgroup; "" if there is none.
std::string memory_events_path(std::string_view self);

// The same file as a container sees it that has the names of the host's groups, but its own group
// in the place of the root.
std::string memory_events_path_in_container(std::string_view path);

// Ticks of all CPUs since boot, from the first line of /proc/stat.
struct CpuTicks {
  std::uint64_t busy = 0;   // wanted to run: all but idle and waiting for I/O; stolen time included
  std::uint64_t steal = 0;  // of it, what a hypervisor gave to others
};
std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat);

// User and system time of `who`, as getrusage takes it.
double cpu_seconds_of(int who);

// Pages swapped in and out since boot, from the text of /proc/vmstat.
std::optional<std::int64_t> parse_swapped_pages(std::string_view vmstat);

// What was counted up to a moment. Two of them tell what happened in between.
struct Counters {
  Nanoseconds at = 0;
  std::optional<double> busy_seconds;         // of all CPUs of the node
  std::optional<double> own_seconds;          // of it, of our own programs
  std::int64_t major_faults = 0;              // of our children that are reaped
  std::optional<std::int64_t> swapped_pages;  // of the node
  std::optional<std::int64_t> oom_kills;      // in our control group
};
Counters operator-(const Counters& after, const Counters& before);

// Mean numbers of cores while something lasted.
struct CoreUse {
  double busy = 0;            // of the whole node
  std::optional<double> own;  // of it, by our own programs; nothing: not known
};
// Nothing when it was too short to tell.
std::optional<CoreUse> core_use(const Counters& spent);
// Of it, what others used.
std::optional<double> other_cores(const std::optional<CoreUse>& use);

Facts memory_facts(const Counters& spent);

// Whose processes ours are: descendants of this one, or only known by the account of the batch job
// or pod that they belong to.
enum class Ours { descendants, job, pod };

class RunCounters {
 public:
  explicit RunCounters(Ours ours = Ours::descendants);  // from now on
  // When the step's processes are reaped: only then are their time and their faults ours.
  Counters spent() const { return now() - before_; }

 private:
  Counters now() const;

  Ours ours_;
  std::string account_;  // a file, unless ours are descendants
  Counters before_;
};

// In kHz, of at most the first `most` CPUs; empty where the kernel tells none.
std::vector<double> clocks_now(const std::string& cpus, int most);
// Mean of the `busy` highest clocks, in MHz: those of the CPUs that the step keeps busy, since idle
// ones clock down. Nothing without clocks.
std::optional<double> busy_clock_mhz(std::vector<double> khz, int busy);

class ClockLooks {
 public:
  // `busy`: CPUs that the step keeps busy. `cpus`: the folder of cpu0, cpu1, ...
  explicit ClockLooks(int busy, std::string cpus = "/sys/devices/system/cpu");

  // Call now and then while the step runs; looks at the clocks from time to time.
  void look(Nanoseconds now);
  Facts facts() const;

 private:
  int busy_;
  std::string cpus_;
  Nanoseconds next_look_;
  double clock_sum_ = 0;
  int looks_ = 0;
};

}  // namespace kneepoint::agent
