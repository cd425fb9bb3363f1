// SPDX-License-Identifier: Apache-2.0
//
// The files of an allocation as every backend keeps them beside the controller, and the signs of
// life of an agent on this host. The allocation file is written once under its name and never
// changed: the agent's lock is on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/files.h"
#include "orchestrator/io/process.h"

namespace kneepoint {

// <directory>/<name>.json
std::string allocation_path(const std::string& directory, const std::string& name);
inline std::string allocation_path(const JobRef& ref) {
  return allocation_path(ref.directory, ref.name);
}

// What a later controller needs of an allocation file.
struct KnownStep {
  std::string attempt;
  std::string run_dir;
};
struct KnownAllocation {
  std::vector<KnownStep> steps;
  std::vector<int> cpus;
};
std::vector<KnownStep> known_steps(const AllocationRequest& request);
std::optional<KnownAllocation> parse_allocation_text(std::string_view text);
// None: there is no such file, or a power cut has left it unreadable; it is written again.
Result<std::optional<KnownAllocation>> read_allocation(const std::string& path);

// Does a records file end with the agent's own end?
bool has_end_record(const std::string& records_path);
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

// The machine's trouble, not the request's: what was asked for may go well later.
Error trouble_here(Error error);
Result<void> make_folder_for_allocations(const std::string& directory);

Observation never_heard_of(const JobRef& ref, const Clock& clock);
// What collect() answers for one that has no allocation file.
Error nothing_to_collect(const JobRef& ref);

// What the steps of an allocation have left in their run directories.
bool any_step_begun(const std::vector<KnownStep>& steps);
// The agent's end record is the last line of each step's records.
bool all_steps_ended(const std::vector<KnownStep>& steps);
// When the newest of their records was written, on the wall clock; 0: there is none.
Nanoseconds last_record_of(const std::vector<KnownStep>& steps);
Result<Artifacts> artifacts_of(const std::vector<KnownStep>& steps);

}  // namespace kneepoint
