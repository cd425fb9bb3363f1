// SPDX-License-Identifier: Apache-2.0
//
// Every question is a few system calls; only living_agents() walks /proc, to find what an earlier
// controller started and whom a cancel must reach.
#include "orchestrator/backend/allocation_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <utility>

#include "orchestrator/base/fd.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostAllocationBytes = 64 << 20;
constexpr std::size_t kMostRecordBytes = 64 << 20;

std::string records_of(const KnownStep& step) {
  return step.run_dir + "/records.ndjson";
}

// Looked for by agents/agent/main.cc; the name there is the same.
std::string withdrawal_of(const std::string& path) {
  return path + ".withdrawn";
}

}  // namespace

std::string allocation_path(const std::string& directory, const std::string& name) {
  return directory + "/" + name + ".json";
}

Result<std::optional<AllocationFile>> read_allocation(const std::string& path) {
  TRY_ASSIGN(const auto text, read_file_if_there(path, kMostAllocationBytes));
  return text ? read_back_allocation(*text) : std::nullopt;
}

bool has_end_record(const std::string& records_path) {
  const auto text = read_file_if_there(records_path, kMostRecordBytes);
  if (!text || !*text || !(*text)->ends_with('\n')) return false;
  std::string_view all = **text;
  all.remove_suffix(1);
  return all.substr(all.rfind('\n') + 1).find("\"type\":\"end\"") != std::string_view::npos;
}

bool is_locked(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return false;
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

Result<bool> withdraw(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT) return true;  // there is nothing to begin
    return system_error("open '" + path + "'", errno);
  }
  // As an agent does: who comes later finds the withdrawal, who came first keeps us out.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_SETLK, &whole) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    return system_error("lock '" + path + "'", errno);
  }
  const std::string withdrawal = withdrawal_of(path);
  const Fd made(::open(withdrawal.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly));
  if (made.get() < 0) return system_error("write '" + withdrawal + "'", errno);
  return true;
}

bool is_withdrawn(const std::string& path) {
  return path_exists(withdrawal_of(path));
}

std::vector<LivingAgent> living_agents() {
  constexpr std::string_view kRun("\0run\0", 5);
  std::vector<LivingAgent> agents;
  std::vector<pid_t> parents;
  for (const auto& [pid, words] : all_processes()) {
    const std::size_t run = words.rfind(kRun);
    if (run == std::string::npos || !words.ends_with(std::string_view(".json\0", 6))) continue;
    const auto process = look_up_process(pid);
    if (!process) continue;
    agents.push_back({words.substr(run + kRun.size()).c_str(), process->identity});
    parents.push_back(process->parent);
  }
  // What an agent forks looks like it until its exec.
  const auto is_forked = [&](const LivingAgent& agent) {
    const pid_t parent = parents[static_cast<std::size_t>(&agent - agents.data())];
    return std::any_of(agents.begin(), agents.end(), [&](const LivingAgent& other) {
      return other.process.pid == parent && other.allocation_path == agent.allocation_path;
    });
  };
  std::vector<LivingAgent> own;
  std::remove_copy_if(agents.begin(), agents.end(), std::back_inserter(own), is_forked);
  return own;
}

std::vector<ProcessIdentity> find_agents(const std::string& allocation_path) {
  std::vector<ProcessIdentity> found;
  for (const LivingAgent& agent : living_agents()) {
    if (agent.allocation_path == allocation_path) found.push_back(agent.process);
  }
  return found;
}

KnownJob::KnownJob(const AllocationRequest& request)
    : ref{request.name, request.directory, "", 0}, path(allocation_path(ref)) {
  for (const Step& step : request.steps) steps.push_back({step.attempt, step.run_dir});
}

KnownJob::KnownJob(const JobRef& its_ref, const AllocationFile& file)
    : ref(its_ref), path(allocation_path(ref)), cpus(file.cpus) {
  for (const StepSpec& step : file.steps) steps.push_back({step.attempt, step.run_dir});
}

void KnownJob::learn(const JobRef& more) {
  if (ref.id.empty()) ref.id = more.id;
  if (ref.submitted_ns == 0) ref.submitted_ns = more.submitted_ns;
}

Observation RemoteJob::as_known(const Clock& clock) const {
  Observation seen;
  if (over) {
    seen = *over;
    seen.observed_ns = std::max(clock.wall(), seen.ended_ns);
    return seen;
  }
  seen.job = ref;
  seen.submitted_ns = ref.submitted_ns;
  seen.nodes = nodes;
  seen.suspended_ns = suspended_ns;
  seen.observed_ns = std::max(clock.wall(), ref.submitted_ns);
  return seen;
}

Error trouble_here(Error error) {
  error.code = ErrorCode::unavailable;
  return error;
}

Result<void> make_folder_for_allocations(const std::string& directory) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (!failure) return {};
  return trouble_here(system_error("make folder '" + directory + "'", failure.value()));
}

Observation never_heard_of(const JobRef& ref, const Clock& clock) {
  Observation seen;
  seen.job = ref;
  seen.detail = "there is no '" + allocation_path(ref) + "'";
  seen.observed_ns = clock.wall();
  return seen;
}

Result<Artifacts> collected(const JobRef& ref, const KnownJob* job) {
  if (job == nullptr) {
    return Error{ErrorCode::not_found,
                 "collect " + ref.name + ": there is no '" + allocation_path(ref) + "'", false};
  }
  Artifacts artifacts;
  for (const KnownStep& step : job->steps) {
    auto records = read_file_if_there(records_of(step), kMostRecordBytes);
    StepArtifacts& artifact = artifacts.steps.emplace_back();
    artifact.attempt = step.attempt;
    if (!records) {
      // What the workload put in their place stays there: asking again would never end.
      const ErrorCode code = records.error().code;
      if (code != ErrorCode::invalid && code != ErrorCode::permission) return records.error();
      artifact.begun = true;
      artifact.problem = records.error().message;
      continue;
    }
    artifact.begun = records->has_value() || path_exists(step.run_dir);
    if (*records) artifact.records = std::move(**records);
  }
  return artifacts;
}

bool any_step_begun(const std::vector<KnownStep>& steps) {
  return std::any_of(steps.begin(), steps.end(),
                     [](const KnownStep& step) { return path_exists(step.run_dir); });
}

bool all_steps_ended(const std::vector<KnownStep>& steps) {
  return !steps.empty() && std::all_of(steps.begin(), steps.end(), [](const KnownStep& step) {
    return has_end_record(records_of(step));
  });
}

Nanoseconds last_record_of(const std::vector<KnownStep>& steps) {
  Nanoseconds last = 0;
  for (const KnownStep& step : steps) last = std::max(last, changed_at(records_of(step)));
  return last;
}

}  // namespace kneepoint
