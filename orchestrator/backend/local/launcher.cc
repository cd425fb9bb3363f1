// SPDX-License-Identifier: Apache-2.0
//
// The local backend: one kneepoint-agent per allocation, in a session of its own, so that it
// outlives the controller. The agent's lock on the allocation file and the exclusive mkdir of each
// run directory make every step run at most once, whoever starts agents (decision 0006).
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/local/request.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kLocalOverrun =
    30 * kSecond;  // an agent starts, and ends what does not end itself

MpirunHost this_host() {
  MpirunHost host;
  host.is_root = ::geteuid() == 0;
  char from = 1, to = 0;
  iovec here{&to, 1}, there{&from, 1};
  host.can_read_other_memory = ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == 1;
  return host;
}

struct LocalJob : KnownJob {
  using KnownJob::KnownJob;
  ProcessIdentity agent;
  bool adopted = false;     // started by an earlier controller
  Nanoseconds started = 0;  // by us, on the steady clock
  Nanoseconds ended = 0;    // 0: not that we know
};

// Does an agent run it? Another one than we know may have come first to the lock: it is taken over
// into the job.
bool find_life(LocalJob& job) {
  if (is_alive(job.agent)) return true;
  // An agent of an earlier controller may be so young that it hasn't locked the file yet.
  const bool may_be_starting = job.adopted && !any_step_begun(job.steps);
  if (!is_locked(job.path) && !may_be_starting) return false;
  const auto others = find_agents(job.path);
  if (others.empty()) return is_locked(job.path);
  job.agent = others.front();
  job.ref.id = to_string(job.agent);
  return true;
}

// The time as the job sees it: its submission by the wall clock, what follows by the steady one, so
// that setting the clock neither lengthens a run nor ends it.
Nanoseconds time_in(const LocalJob& job, const Clock& clock) {
  if (job.adopted || job.started == 0) return clock.wall();
  return job.ref.submitted_ns + (clock.steady() - job.started);
}

class LocalLauncher final : public Launcher {
 public:
  explicit LocalLauncher(const LauncherContext& context)
      : clock_(context.clock),
        poller_(context.poller),
        agent_path_(context.agent_path),
        host_(this_host()),
        cores_(cores_of_this_machine(context.site.limits.cores)) {}

  Capabilities capabilities() const override {
    Capabilities capabilities;
    capabilities.cores_per_node = static_cast<int>(cores_.all().size());
    capabilities.shares_cores = true;
    capabilities.overrun = kLocalOverrun;
    return capabilities;
  }

  std::vector<Result<JobRef>> submit(std::span<const AllocationRequest> requests,
                                     Deadline deadline) override {
    return each_in_time<JobRef>(clock_, deadline, requests, "submit",
                                [this](const auto& request) { return submit_one(request); });
  }

  Result<std::vector<Observation>> observe(std::span<const JobRef> jobs,
                                           Deadline deadline) override {
    std::vector<Observation> observations;
    observations.reserve(jobs.size());
    for (const JobRef& ref : jobs) {
      if (clock_.steady() > deadline) return deadline_passed("observe " + ref.name);
      TRY_ASSIGN(LocalJob * job, find(ref));
      observations.push_back(job != nullptr ? look_at(*job) : never_heard_of(ref, clock_));
    }
    return observations;
  }

  std::vector<Result<void>> cancel(std::span<const JobRef> jobs, Deadline deadline) override {
    return each_in_time<void>(clock_, deadline, jobs, "cancel",
                              [this](const JobRef& ref) { return cancel_one(ref); });
  }

  Result<Artifacts> collect(const JobRef& ref, Deadline deadline) override {
    if (clock_.steady() > deadline) return deadline_passed("collect " + ref.name);
    TRY_ASSIGN(const LocalJob* job, find(ref));
    return collected(ref, job);
  }

  std::vector<EmittedFile> emit(const AllocationRequest& request) const override {
    const auto wanted = static_cast<std::size_t>(cores_wanted(request));
    std::vector<Core> cores;
    if (wanted <= cores_.all().size()) {
      cores.assign(cores_.all().begin(),
                   cores_.all().begin() + static_cast<std::ptrdiff_t>(wanted));
    }
    const LocalRequest prepared = local_request(request, cores, host_);
    std::vector<EmittedFile> files = {{request.name + ".json", prepared.allocation},
                                      {request.name + ".txt", command_text(request, cores)}};
    for (const auto& [path, text] : prepared.rankfiles) {
      files.push_back({std::filesystem::path(path).filename().string(), text});
    }
    return files;
  }

 private:
  Result<JobRef> submit_one(const AllocationRequest& request) {
    if (request.steps.empty()) return Error{ErrorCode::invalid, "it has no step", false};
    TRY_ASSIGN(LocalJob * known, find(JobRef{request.name, request.directory, "", 0}));
    if (known != nullptr) {
      // Written but nothing came of it: the same file again, since an agent that is only just
      // starting may be about to lock it.
      if (look_at(*known).state != AllocationState::unknown || is_withdrawn(known->path)) {
        return known->ref;
      }
      const auto cores = cores_.hold(known->path, known->cpus);
      return start(*known, local_request(request, cores, host_).confine_to);
    }
    TRY(check_starters(request));
    TRY(make_folder_for_allocations(request.directory));
    const std::string path = allocation_path(request.directory, request.name);
    cores_.look_for_others(std::filesystem::path(request.directory).parent_path().string());
    const auto cores = cores_.take(path, cores_wanted(request));
    const LocalRequest prepared = local_request(request, cores, host_);
    if (auto written = write_files(path, prepared); !written) {
      cores_.release(path);
      return trouble_here(written.error());
    }
    LocalJob& job = jobs_.add(request);
    for (const Core& core : cores) job.cpus.push_back(core.cpus.front());
    return start(job, prepared.confine_to);
  }

  static Result<void> check_starters(const AllocationRequest& request) {
    const bool by_mpirun =
        std::any_of(request.steps.begin(), request.steps.end(),
                    [](const Step& step) { return step.starter.kind == StarterKind::mpirun; });
    if (!by_mpirun || program_exists("mpirun")) return {};
    return Error{ErrorCode::not_found,
                 "mpirun is not in PATH; install Open MPI (Debian: openmpi-bin), or say "
                 "`mpi: false` for workloads that are plain programs",
                 false};
  }

  static Result<void> write_files(const std::string& path, const LocalRequest& prepared) {
    for (const auto& [file, text] : prepared.rankfiles) {
      const auto there = read_file_if_there(file, text.size() + 1);
      if (there && *there == text) continue;
      TRY(write_whole_file(file, text));
    }
    return write_whole_file(path, prepared.allocation, kOwnerOnly);
  }

  Result<JobRef> start(LocalJob& job, const std::vector<int>& confine_to) {
    SpawnOptions options;
    options.argv = {agent_path_, "run", job.path};
    options.new_session = true;
    options.output_path = job.ref.directory + "/agent.log";
    options.cpus = confine_to;
    job.ref.submitted_ns = clock_.wall();
    auto pid = spawn(options);
    if (!pid) {
      cores_.release(job.path);
      return trouble_here(pid.error());
    }
    job.started = clock_.steady();
    // An agent that is over already has no start time left to read; its files tell the rest.
    job.agent = living_process(*pid).value_or(ProcessIdentity{*pid, 0});
    job.adopted = false;
    job.ref.id = to_string(job.agent);
    watch(job);
    return job.ref;
  }

  // The job as we know it, or as its allocation file tells it; nullptr when there is none.
  Result<LocalJob*> find(const JobRef& ref) {
    return jobs_.find(ref, [&](LocalJob& job) {
      job.adopted = true;
      job.agent = parse_process_identity(ref.id).value_or(ProcessIdentity{});
      if (job.ref.submitted_ns == 0) job.ref.submitted_ns = changed_at(job.path);
      if (!find_life(job)) return;
      cores_.hold(job.path, job.cpus);
      watch(job);
    });
  }

  // Unwatched is found a poll later, not missed.
  void watch(const LocalJob& job) {
    if (job.agent.pid <= 0) return;
    const auto watched = poller_.watch_process(job.agent.pid);
    static_cast<void>(watched);
  }

  Observation look_at(LocalJob& job) {
    Observation seen;
    const ProcessIdentity agent_before = job.agent;
    // An agent that began between the two questions holds the file by now: asked again.
    const bool living =
        job.ended == 0 && (find_life(job) || (any_step_begun(job.steps) && find_life(job)));
    seen.job = job.ref;
    seen.submitted_ns = seen.started_ns = job.ref.submitted_ns;
    seen.observed_ns = time_in(job, clock_);
    if (living) {
      seen.state = AllocationState::running;
      if (!(job.agent == agent_before)) watch(job);
      return seen;
    }
    cores_.release(job.path);
    if (job.ended == 0 && any_step_begun(job.steps)) {
      const Nanoseconds last = job.adopted ? last_record_of(job.steps) : 0;
      job.ended = std::max(job.ref.submitted_ns, last > 0 ? last : seen.observed_ns);
    }
    if (job.ended == 0) {
      seen.started_ns = 0;
      seen.detail = "its agent ended before it began a step; '" + job.ref.directory +
                    "/agent.log' may say why";
      return seen;
    }
    seen.state = AllocationState::ended;
    seen.ended_ns = job.ended;
    return seen;
  }

  // The agent that we know need not be the one that holds the file: it may have come second. And
  // one of an earlier controller may not have come so far that anybody can see it.
  Result<void> cancel_one(const JobRef& ref) {
    TRY_ASSIGN(const LocalJob* found, find(ref));
    if (found == nullptr || found->ended != 0) return {};
    const LocalJob& job = *found;
    if (any_step_begun(job.steps) && !is_locked(job.path) && !is_alive(job.agent)) return {};
    const auto withdrawn = withdraw(job.path);
    if (!withdrawn) return trouble_here(withdrawn.error());
    if (*withdrawn) return terminate(job.agent);
    const auto agents = find_agents(job.path);
    for (const ProcessIdentity& agent : agents) TRY(terminate(agent));
    if (agents.empty() && is_locked(job.path)) {
      return Error{ErrorCode::unavailable, "a process that can't be seen holds '" + job.path + "'",
                   true};
    }
    return {};
  }

  const Clock& clock_;
  Poller& poller_;
  const std::string agent_path_;
  const MpirunHost host_;
  CoreSets cores_;
  KnownJobs<LocalJob> jobs_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> make_local_launcher(const LauncherContext& context) {
  return std::unique_ptr<Launcher>(std::make_unique<LocalLauncher>(context));
}

}  // namespace kneepoint
