// SPDX-License-Identifier: Apache-2.0
//
// The files of an allocation as every backend keeps them beside the controller, and the signs of
// life of an agent on this host. The allocation file is written once under its name and never
// changed: the agent's lock is on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/wire/allocation.h"
#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/files.h"
#include "orchestrator/io/process.h"

namespace kneepoint {

// <directory>/<name>.json
std::string allocation_path(const std::string& directory, const std::string& name);
inline std::string allocation_path(const JobRef& ref) {
  return allocation_path(ref.directory, ref.name);
}

// What a later controller needs of a step.
struct KnownStep {
  std::string attempt;
  std::string run_dir;
};
// None: there is no such file, or a power cut has left it unreadable; it is written again.
Result<std::optional<AllocationFile>> read_allocation(const std::string& path);

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

// An allocation as its launcher knows it: as submitted, or as its file tells.
struct KnownJob {
  KnownJob() = default;
  explicit KnownJob(const AllocationRequest& request);
  KnownJob(const JobRef& its_ref, const AllocationFile& file);
  // An id or a submit time that it lacks.
  void learn(const JobRef& more);

  JobRef ref;
  std::string path;  // the allocation file
  std::vector<KnownStep> steps;
  std::vector<int> cpus;  // local: one of each core it was given
};

// One that a cluster runs, as far as every cluster's are alike.
struct RemoteJob : KnownJob {
  using KnownJob::KnownJob;
  // The last word if it is over; else where it is, without a state.
  Observation as_known(const Clock& clock) const;

  std::string nodes;                // that it has or had
  Nanoseconds started = 0;          // the cluster's clock; 0: not yet
  Nanoseconds suspended_ns = 0;     // wall clock: when it was last seen to stand still; 0: never
  bool cancelled = false;           // by us
  std::optional<Observation> over;  // the last word
};

// Of one launcher, by allocation file.
template <typename Job>
class KnownJobs {
 public:
  // As we know it, or as its file tells it, which `begin` completes; nullptr: there is none.
  template <typename Begin>
  Result<Job*> find(const JobRef& ref, Begin begin) {
    const std::string path = allocation_path(ref);
    if (const auto found = jobs_.find(path); found != jobs_.end()) {
      found->second.learn(ref);
      return &found->second;
    }
    TRY_ASSIGN(auto file, read_allocation(path));
    if (!file) return static_cast<Job*>(nullptr);
    Job& job = jobs_.emplace(path, Job(ref, *file)).first->second;
    begin(job);
    return &job;
  }
  // One that was submitted a moment ago, or is about to be.
  Job& add(const AllocationRequest& request) {
    Job job(request);
    const std::string path = job.path;
    return jobs_.try_emplace(path, std::move(job)).first->second;
  }

 private:
  std::unordered_map<std::string, Job> jobs_;
};

Observation never_heard_of(const JobRef& ref, const Clock& clock);
// What collect() answers, also for one that has no allocation file.
Result<Artifacts> collected(const JobRef& ref, const KnownJob* job);

// What the steps of an allocation have left in their run directories.
bool any_step_begun(const std::vector<KnownStep>& steps);
// The agent's end record is the last line of each step's records.
bool all_steps_ended(const std::vector<KnownStep>& steps);
// When the newest of their records was written, on the wall clock; 0: there is none.
Nanoseconds last_record_of(const std::vector<KnownStep>& steps);

}  // namespace kneepoint
