// SPDX-License-Identifier: Apache-2.0
//
// kp-machine_probe: prints one provenance record with what this machine can do, in less than 2 s.
// The agent asks it once for each host and boot, between runs. No MPI: one process on one node.
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "agents/wire/record.h"
#include "workloads/machine/rates.h"
#include "workloads/numerics/kernels.h"

namespace kneepoint::workloads {
namespace {

constexpr const char* kUsage =
    "Usage: kp-machine_probe\n"
    "\n"
    "Measures for about a second and prints a provenance record: flops per second of\n"
    "one core (single precision), bytes per second of one core and of all cores that\n"
    "this process may use. What can't be measured is left out; when other programs\n"
    "are in the way, all of it, and machine.others says how many cores they took.\n";

constexpr double kUndisturbed = 0.9;  // of the CPU time that we asked for
constexpr Nanoseconds kTry = 250 * kMillisecond;
constexpr Nanoseconds kNodeNotAfter = 1200 * kMillisecond;  // the node's rate takes the longest

// Whoever started us may be bound; the node's rate needs every CPU that the system lets us use.
int take_every_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof set, &set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string rate_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// The rates, one after the other. A rate that other programs had a part in is worth nothing, and
// the next would be no better.
class Probe {
 public:
  void run() {
    measure("machine.flops_per_core", 1, [] { return gemm_rate(kTry); });
    const LastLevelCache cache = last_level_cache();
    const std::int64_t room = memory_room();
    if (const auto elements = triad_elements(cache.bytes, room)) {
      measure("machine.bandwidth_per_core", 1, [&] { return triad_rate(*elements, 1, kTry); });
    }
    const bool whole_node = can_use_threads() || cpus_ == 1;
    const auto elements = triad_elements(cache.bytes * cache.count, room);
    if (elements && whole_node && system_clock().steady() - start_ < kNodeNotAfter) {
      measure("machine.bandwidth_of_node", cpus_,
              [&] { return triad_rate(*elements, cpus_, kTry); });
      add("machine.cpus", cpus_);
    }
  }

  record::Provenance found() const {
    if (others_ == 0) return {"machine", facts_};
    return {"machine", {{"machine.others", rate_text(others_)}}};
  }

 private:
  void add(const char* name, double value) {
    if (value > 0) facts_.emplace_back(name, rate_text(value));
  }

  template <typename Rate>
  void measure(const char* name, int threads, const Rate& rate) {
    if (others_ > 0) return;
    const Attention attention;
    add(name, rate());
    const double share = attention.share(threads);
    if (share < kUndisturbed) others_ = threads * (1 - share);
  }

  const Nanoseconds start_ = system_clock().steady();
  const int cpus_ = take_every_cpu();
  double others_ = 0;  // cores that we did not get; 0: none to speak of
  std::vector<std::pair<std::string, std::string>> facts_;
};

int run() {
  limit_threads_by_environment();
  Probe probe;
  probe.run();
  std::fputs(record::to_line(0, probe.found()).c_str(), stdout);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kneepoint::workloads

int main(int argc, char** argv) {
  if (argc == 1) return kneepoint::workloads::run();
  const bool help = argc == 2 && std::strcmp(argv[1], "--help") == 0;
  std::fputs(kneepoint::workloads::kUsage, help ? stdout : stderr);
  return help ? 0 : 2;
}
