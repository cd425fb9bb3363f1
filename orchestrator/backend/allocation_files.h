// SPDX-License-Identifier: Apache-2.0
//
// The files of a local allocation and the signs of life of its agent. The allocation file is
// written once under its name and never changed: the agent's lock is on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/files.h"
#include "orchestrator/io/process.h"

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

// A local allocation as its launcher knows it, and what its files and processes say of it.

struct LocalJob {
  JobRef ref;
  std::string path;  // the allocation file
  std::vector<KnownStep> steps;
  std::vector<int> cpus;  // one of each core it was given
  ProcessIdentity agent;
  bool adopted = false;     // started by an earlier controller
  Nanoseconds started = 0;  // by us, on the steady clock
  Nanoseconds ended = 0;    // 0: not that we know
};

bool has_begun(const LocalJob& job);

// Does an agent run it? Another one than we know may have come first to the lock: it is taken over
// into the job.
bool find_life(LocalJob& job);

// The time as the job sees it: its submission by the wall clock, what follows by the steady one, so
// that setting the clock neither lengthens a run nor ends it.
Nanoseconds time_of(const LocalJob& job, const Clock& clock);

Observation never_heard_of(const JobRef& ref, const std::string& path, const Clock& clock);

// The machine's trouble, not the request's: what was asked for may go well later.
Error trouble_here(Error error);

// When the last of its records was written, on the wall clock; `otherwise` if there is none.
Nanoseconds last_record(const LocalJob& job, Nanoseconds otherwise);

Result<Artifacts> artifacts_of(const LocalJob& job);

}  // namespace kneepoint
