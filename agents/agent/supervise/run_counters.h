// SPDX-License-Identifier: Apache-2.0
//
// What happened to memory and clock while a step ran: a baseline that swapped, or ran at a lower
// clock, explains an efficiency above 1. What can't be read is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/provenance/provenance.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

// Pages swapped in and out since boot, from the text of /proc/vmstat.
std::optional<std::int64_t> parse_swapped_pages(std::string_view vmstat);

// In kHz, of at most the first `most` CPUs; empty where the kernel tells none.
std::vector<double> clocks_now(const std::string& cpus, int most);
// Mean of the `busy` highest clocks, in MHz: those of the CPUs that the step keeps busy, since idle
// ones clock down. Nothing without clocks.
std::optional<double> busy_clock_mhz(std::vector<double> khz, int busy);

class RunCounters {
 public:
  // `busy`: CPUs that the step keeps busy. `cpus`: the folder of cpu0, cpu1, ...
  explicit RunCounters(int busy, std::string cpus = "/sys/devices/system/cpu");

  // Call now and then while the step runs; looks at the clocks from time to time.
  void look(Nanoseconds now);
  // When the step's processes are reaped: only then are their faults ours.
  Facts facts() const;

 private:
  int busy_;
  std::string cpus_;
  std::int64_t faults_;
  std::optional<std::int64_t> swapped_;
  Nanoseconds next_look_ = 0;
  double clock_sum_ = 0;
  int looks_ = 0;
};

}  // namespace kneepoint::agent
