// SPDX-License-Identifier: Apache-2.0
//
// How many cores other programs used while a step ran: the machine's busy time less our own. A load
// average can't tell them apart, since it remembers our own runs for minutes.
#pragma once

#include <optional>
#include <string_view>

#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

// Seconds that all CPUs together were busy since boot, time stolen by a hypervisor included; from
// the text of /proc/stat.
std::optional<double> parse_busy_seconds(std::string_view proc_stat, long ticks_per_second);

class OtherLoad {
 public:
  OtherLoad();  // from now on

  // Mean number of cores that others used since then. Call when the step's processes are reaped:
  // only then is their time ours. Nothing when the step was too short to tell.
  std::optional<double> cores() const;

 private:
  Nanoseconds started_;
  std::optional<double> busy_;
  double own_;
};

}  // namespace kneepoint::agent
