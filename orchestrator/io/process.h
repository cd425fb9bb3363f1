// SPDX-License-Identifier: Apache-2.0
//
// Who has a process id: ids come again, so a process is its id and the time it started.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

// A process and its start time: the pair is never used twice while the machine is up.
struct ProcessIdentity {
  pid_t pid = -1;
  unsigned long long start_ticks = 0;
  bool operator==(const ProcessIdentity&) const = default;
};
std::string to_string(const ProcessIdentity& process);  // "<pid>:<ticks>"
std::optional<ProcessIdentity> parse_process_identity(std::string_view text);
// Who has this pid now, and its parent's; nullopt for nobody or a zombie.
struct ProcessLine {
  ProcessIdentity identity;
  pid_t parent = -1;
};
std::optional<ProcessLine> look_up_process(pid_t pid);
std::optional<ProcessIdentity> living_process(pid_t pid);
// When it began, on the wall clock; 0 when nobody can tell.
Nanoseconds begin_of(const ProcessIdentity& process);
bool is_alive(const ProcessIdentity& process);
// The words of every process's command line, each ended by a zero byte.
struct ProcessWords {
  pid_t pid = -1;
  std::string words;
};
std::vector<ProcessWords> all_processes();
// SIGTERM to exactly this process; gone already is fine.
Result<void> terminate(const ProcessIdentity& process);

}  // namespace kneepoint
