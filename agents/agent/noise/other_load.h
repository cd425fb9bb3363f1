// SPDX-License-Identifier: Apache-2.0
//
// How many cores other programs used while a step ran: the machine's busy time less our own. A load
// average can't tell them apart, since it remembers our own runs for minutes.
#pragma once

#include <optional>
#include <string_view>

#include "agents/agent/supervise/cpu_account.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::agent {

// Seconds that all CPUs together were busy since boot, time stolen by a hypervisor included; from
// the text of /proc/stat.
std::optional<double> parse_busy_seconds(std::string_view proc_stat, long ticks_per_second);

// Mean numbers of cores while something lasted.
struct CoreUse {
  double busy = 0;            // of the whole node
  std::optional<double> own;  // of it, by our own programs; nothing: not known
};

// Whose processes ours are: descendants of this one, or only known by the account of the batch job
// or pod that they belong to.
enum class Ours { descendants, job, pod };

class OtherLoad {
 public:
  explicit OtherLoad(Ours ours = Ours::descendants);  // from now on

  // Call when the step's processes are reaped: only then is their time ours. Nothing when the step
  // was too short to tell.
  std::optional<CoreUse> use() const;
  // Of it, what others used.
  std::optional<double> cores() const;

 private:
  std::optional<double> own_seconds_now() const;

  std::optional<CpuAccount> account_;  // nothing: ours are descendants
  Nanoseconds started_;
  std::optional<double> busy_;
  std::optional<double> own_;
};

}  // namespace kneepoint::agent
