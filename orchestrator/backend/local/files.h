// SPDX-License-Identifier: Apache-2.0
//
// The files of a local allocation and the signs of life of its agent. The allocation file is
// written once under its name and never changed: the agent's lock is on it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/launcher.h"

namespace kneepoint {

constexpr std::size_t kMostAllocationBytes = 64 << 20;

// What a later controller needs of an allocation file.
struct KnownStep {
  std::string attempt;
  std::string run_dir;
};
struct KnownAllocation {
  std::vector<KnownStep> steps;
  std::vector<int> cpus;
};
std::optional<KnownAllocation> parse_allocation_text(std::string_view text);

constexpr mode_t kForAll = 0644;
constexpr mode_t kOwnerOnly = 0600;  // of what may hold a token
// Whole or not at all: a temporary name first.
Result<void> write_whole_file(const std::string& path, std::string_view content,
                              mode_t mode = kForAll);
// Up to `most` bytes; nullopt when there is no such file.
Result<std::optional<std::string>> read_file_if_there(const std::string& path, std::size_t most);
bool path_exists(const std::string& path);
// Does a records file end with the agent's own end?
bool has_end_record(const std::string& records_path);
// Last change on the wall clock; 0 when there is no such file.
Nanoseconds changed_at(const std::string& path);

// A process and its start time: the pair is never used twice while the machine is up.
struct ProcessIdentity {
  pid_t pid = -1;
  unsigned long long start_ticks = 0;
  bool operator==(const ProcessIdentity&) const = default;
};
std::string to_string(const ProcessIdentity& process);  // "<pid>:<ticks>"
std::optional<ProcessIdentity> parse_process_identity(std::string_view text);
// Who has this pid now; nullopt for nobody or a zombie.
std::optional<ProcessIdentity> living_process(pid_t pid);
// When it began, on the wall clock; 0 when nobody can tell.
Nanoseconds begin_of(const ProcessIdentity& process);
bool is_alive(const ProcessIdentity& process);
// SIGTERM to exactly this process; gone already is fine.
Result<void> terminate(const ProcessIdentity& process);

// Does an agent hold the allocation file?
bool is_locked(const std::string& path);
// No agent begins it from now on, not even one that is still starting. False: an agent holds it.
Result<bool> withdraw(const std::string& path);
bool is_withdrawn(const std::string& path);
// Every living agent of this machine, by its command line; whose study doesn't matter. One that was
// started a moment ago may be missing: exec shows its command line late. One that holds its file
// never is.
struct LivingAgent {
  std::string allocation_path;
  ProcessIdentity process;
};
std::vector<LivingAgent> living_agents();
// Those that were started with this allocation file: the one that holds it, and any that came
// second and has not noticed yet.
std::vector<ProcessIdentity> find_agents(const std::string& allocation_path);

}  // namespace kneepoint
