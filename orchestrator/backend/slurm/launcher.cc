// SPDX-License-Identifier: Apache-2.0
//
// The Slurm backend: one batch job per allocation, whose script is the agent. A job's identity is
// its name and its folder; ids are only how Slurm calls it today. The agent's lock on the
// allocation file and the exclusive mkdir of each run directory make every step run at most once,
// even if Slurm should run a job twice (decision 0009).
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/slurm/text.h"
#include "orchestrator/backend/slurm/watch.h"
#include "orchestrator/base/fd.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kSlurmCallDeadline = 20 * kSecond;  // sbatch itself gives up after 9 s
constexpr Nanoseconds kDoubtful = 15 * kSecond;           // an unanswered sbatch may still arrive
constexpr int kSlurmConcurrent = 8;
constexpr Nanoseconds kSlurmOverrun = 90 * kSecond;  // whole minutes, then 30 s to be killed

class SlurmLauncher final : public Launcher {
 public:
  SlurmLauncher(const LauncherContext& context, std::unique_ptr<SlurmTransport> transport,
                SlurmCluster cluster)
      : site_(context.site),
        clock_(context.clock),
        agent_path_(context.agent_path),
        is_root_(::geteuid() == 0),
        transport_(std::move(transport)),
        cluster_(std::move(cluster)),
        watch_(*transport_, cluster_, clock_) {}

  Capabilities capabilities() const override {
    Capabilities capabilities;
    capabilities.nodes = cluster_.nodes;
    capabilities.cores_per_node = cluster_.cores_per_node;
    capabilities.gpus_per_node = cluster_.gpus_per_node;
    capabilities.default_concurrent = kSlurmConcurrent;
    capabilities.has_queue = true;
    capabilities.call_deadline = kSlurmCallDeadline;
    capabilities.place = "partition " + cluster_.partition + " of Slurm " + cluster_.version +
                         (cluster_.has_accounting ? "" : ", no accounting");
    capabilities.nodes_down = cluster_.nodes - cluster_.nodes_up;
    capabilities.most_nodes = cluster_.most_nodes;
    capabilities.most_time = cluster_.time_limit;
    capabilities.overrun = site_.slurm.time_margin + kSlurmOverrun;
    return capabilities;
  }

  std::vector<Result<JobRef>> submit(std::span<const AllocationRequest> requests,
                                     Deadline deadline) override {
    std::vector<Result<JobRef>> answers;
    answers.reserve(requests.size());
    std::vector<SlurmSubmission> jobs;         // to be submitted now
    std::vector<std::size_t> places;           // of each in `answers`
    std::map<std::string, std::size_t> first;  // the same request twice is one job
    bool looked = false;
    for (const AllocationRequest& request : requests) {
      const std::size_t place = answers.size();
      answers.emplace_back(deadline_passed("submit " + request.name));
      const std::string path = allocation_path(request.directory, request.name);
      if (!first.emplace(path, place).second) continue;
      const auto known = prepare(request, looked, deadline);
      if (!known) {
        answers[place] = known.error().in("submit " + request.name);
      } else if (*known) {
        answers[place] = **known;
      } else {
        jobs.push_back(submission_of(request));
        places.push_back(place);
      }
    }
    if (!jobs.empty()) hand_over(requests, jobs, places, answers, deadline);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      answers[i] = answers[first[allocation_path(requests[i].directory, requests[i].name)]];
    }
    return answers;
  }

  Result<std::vector<Observation>> observe(std::span<const JobRef> refs,
                                           Deadline deadline) override {
    if (clock_.steady() > deadline) return deadline_passed("observe");
    std::vector<SlurmAllocation*> jobs;
    bool open = false;
    for (const JobRef& ref : refs) {
      TRY_ASSIGN(SlurmAllocation * job, find(ref));
      jobs.push_back(job);
      open = open || (job != nullptr && !job->over);
    }
    if (open) {
      TRY_ASSIGN(const bool looked, watch_.look_if_due(deadline));
      std::vector<SlurmAllocation*> missing;
      for (SlurmAllocation* job : jobs) {
        if (looked && job != nullptr && watch_.needs_accounting(*job)) missing.push_back(job);
      }
      const auto asked = looked ? watch_.ask_accounting(missing, deadline) : Result<void>();
      // What only accounting can tell of waits for it; the other jobs go on without.
      const auto is_in_doubt = [&](const SlurmAllocation* job) {
        return job == nullptr || job->over || watch_.is_in_doubt(*job);
      };
      if (!asked && std::all_of(jobs.begin(), jobs.end(), is_in_doubt)) return asked.error();
    }
    std::vector<Observation> observations;
    observations.reserve(refs.size());
    for (std::size_t i = 0; i < refs.size(); ++i) {
      observations.push_back(jobs[i] != nullptr ? watch_.observe(*jobs[i], deadline)
                                                : never_heard_of(refs[i], clock_));
    }
    if (open) watch_.schedule(jobs);
    return observations;
  }

  std::vector<Result<void>> cancel(std::span<const JobRef> refs, Deadline deadline) override {
    std::vector<Result<void>> answers(refs.size());
    std::vector<std::string> ids;
    std::vector<std::size_t> places;
    Result<void> looked = clock_.steady() > deadline ? deadline_passed("cancel") : Result<void>();
    bool is_fresh = false;
    for (std::size_t i = 0; i < refs.size() && looked; ++i) {
      auto job = find(refs[i]);
      if (!job || *job == nullptr || (*job)->over) {
        if (!job) answers[i] = job.error();
        continue;
      }
      // An id is only used for a job that has the right name now.
      if (!is_fresh) looked = watch_.look(deadline);
      is_fresh = true;
      const SlurmJob* told = looked ? watch_.listed(refs[i]) : nullptr;
      (*job)->cancelled = true;
      if (told == nullptr) continue;
      ids.push_back(told->id);
      places.push_back(i);
    }
    if (!looked) return std::vector<Result<void>>(refs.size(), looked);
    if (ids.empty()) return answers;
    const auto taken = transport_->cancel(ids, deadline);
    for (std::size_t i = 0; i < places.size(); ++i) answers[places[i]] = taken[i];
    watch_.look_soon();
    return answers;
  }

  Result<Artifacts> collect(const JobRef& ref, Deadline deadline) override {
    if (clock_.steady() > deadline) return deadline_passed("collect " + ref.name);
    TRY_ASSIGN(const SlurmAllocation* job, find(ref));
    return collected(ref, job);
  }

  std::vector<EmittedFile> emit(const AllocationRequest& request) const override {
    const SlurmSubmission job = slurm_submission(request, site_, agent_path_);
    std::vector<EmittedFile> files = {
        {request.name + ".json", slurm_allocation_text(request, site_, is_root_)},
        {request.name + ".sh", job.script}};
    for (EmittedFile& file : transport_->emit(job)) files.push_back(std::move(file));
    return files;
  }

  Result<std::string> rehearse(const AllocationRequest& request, Deadline deadline) override {
    SlurmSubmission job = slurm_submission(request, site_, agent_path_);
    // Nothing is there yet: neither script nor folder. Slurm only reads the numbers.
    job.directory = "/";
    if (!transport_->reads_script_file()) return transport_->rehearse(job, deadline);
    TRY_ASSIGN(job.script_path, rehearsal_script());
    auto answer = transport_->rehearse(job, deadline);
    ::unlink(job.script_path.c_str());
    return answer;
  }

 private:
  // A reference if the job is there already, nothing if it is to be submitted now.
  Result<std::optional<JobRef>> prepare(const AllocationRequest& request, bool& looked,
                                        Deadline deadline) {
    if (clock_.steady() > deadline) return deadline_passed("prepare");
    if (request.steps.empty()) return Error{ErrorCode::invalid, "it has no step", false};
    JobRef ref{request.name, request.directory, "", 0};
    TRY_ASSIGN(SlurmAllocation * job, find(ref));
    if (job == nullptr) {
      TRY(write_files(request));
      return std::optional<JobRef>();
    }
    if (!job->ref.id.empty()) return std::optional<JobRef>(job->ref);
    // Written, but no answer was noted: an earlier controller, or a call that took too long.
    const bool on_its_way = is_being_submitted(request.name, submission_of(request).script_path);
    ref.submitted_ns = changed_at(job->path);  // no job of ours is older than its file
    if (!looked) TRY(watch_.look(deadline));
    looked = true;
    if (const SlurmJob* told = watch_.listed(ref)) return std::optional<JobRef>(adopt(*job, *told));
    TRY(watch_.ask_accounting({job}, deadline));
    if (const SlurmJob* told = watch_.recorded(ref)) {
      if (told->ended > 0) return std::optional<JobRef>(adopt(*job, *told));
    }
    if (any_step_begun(job->steps)) {
      if (job->ref.submitted_ns == 0) job->ref.submitted_ns = changed_at(job->path);
      return std::optional<JobRef>(job->ref);
    }
    if (on_its_way || clock_.steady() < job->doubtful_until) {
      return Error{ErrorCode::timeout, "it may still be on its way to Slurm; looking again", true};
    }
    // The allocation file stays as it is: an agent's lock may be on it.
    if (auto written = write_script(request); !written) return trouble_here(written.error());
    return std::optional<JobRef>();
  }

  static JobRef adopt(SlurmAllocation& job, const SlurmJob& told) {
    job.ref.id = told.id;
    if (job.ref.submitted_ns == 0) job.ref.submitted_ns = told.submitted;
    return job.ref;
  }

  void hand_over(std::span<const AllocationRequest> requests,
                 const std::vector<SlurmSubmission>& jobs, const std::vector<std::size_t>& places,
                 std::vector<Result<JobRef>>& answers, Deadline deadline) {
    const Nanoseconds before = clock_.wall();
    const auto ids = transport_->submit(jobs, deadline);
    std::string first, last;  // of the ids
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const AllocationRequest& request = requests[places[i]];
      SlurmAllocation& job = remember(request);
      if (ids[i]) {
        job.ref.id = *ids[i];
        if (first.empty()) first = job.ref.id;
        last = job.ref.id;
        continue;
      }
      const Error& error = ids[i].error();
      if (error.code == ErrorCode::timeout) job.doubtful_until = clock_.steady() + kDoubtful;
      answers[places[i]] = error.in("submit " + request.name);
    }
    if (first.empty()) return;
    // Slurm's own submit times; without an answer, ours will do. Where a list is dear, only the
    // first and the last are asked for: those between were handed over one after the other.
    const auto one = transport_->find(first, deadline);
    const auto other = first == last || !one ? one : transport_->find(last, deadline);
    const bool known = one && other && one->submitted > 0 && other->submitted >= one->submitted;
    const bool looked = !known && watch_.look(deadline).has_value();
    if (!looked) watch_.look_soon();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!ids[i]) continue;
      SlurmAllocation& job = remember(requests[places[i]]);
      const SlurmJob* told = looked ? watch_.listed(job.ref) : nullptr;
      const bool fits = told != nullptr && told->id == job.ref.id && told->submitted > 0;
      const Nanoseconds between =
          known ? one->submitted + (other->submitted - one->submitted) / kSecond *
                                       static_cast<Nanoseconds>(i) /
                                       static_cast<Nanoseconds>(jobs.size()) * kSecond
                : before / kSecond * kSecond;
      job.ref.submitted_ns = fits ? told->submitted : between;
      answers[places[i]] = job.ref;
    }
  }

  // The job as we know it, or as its allocation file tells it; nullptr when there is none.
  Result<SlurmAllocation*> find(const JobRef& ref) {
    return jobs_.find(ref, [&](SlurmAllocation& job) {
      job.changed = clock_.steady();
      job.suspended_ns = read_suspended(ref.directory, ref.name);
    });
  }

  SlurmAllocation& remember(const AllocationRequest& request) {
    SlurmAllocation& job = jobs_.add(request);
    if (job.changed == 0) job.changed = clock_.steady();
    return job;
  }

  SlurmSubmission submission_of(const AllocationRequest& request) const {
    SlurmSubmission job = slurm_submission(request, site_, agent_path_);
    if (!site_.slurm.exclude_failed) return job;
    job.exclude = read_failed_nodes(request.directory);
    const int left = cluster_.nodes - static_cast<int>(job.exclude.size());
    if (left < job.nodes) job.exclude.clear();
    return job;
  }

  Result<void> write_script(const AllocationRequest& request) const {
    if (!transport_->reads_script_file()) return {};
    const SlurmSubmission job = slurm_submission(request, site_, agent_path_);
    return write_whole_file(job.script_path, job.script);
  }

  Result<void> write_files(const AllocationRequest& request) {
    TRY(make_folder_for_allocations(request.directory));
    auto written = write_script(request);
    // The allocation file comes last: where it is, the script is too.
    if (written) {
      written = write_whole_file(allocation_path(request.directory, request.name),
                                 slurm_allocation_text(request, site_, is_root_),
                                 request.push.url.empty() ? kForAll : kOwnerOnly);
    }
    if (!written) return trouble_here(written.error());
    return {};
  }

  // sbatch --test-only wants to read a script: a file of this call's own, since other controllers
  // rehearse at the same time.
  static Result<std::string> rehearsal_script() {
    std::string path =
        (std::filesystem::temp_directory_path() / "kneepoint-rehearsal-XXXXXX").string();
    const Fd file(::mkostemp(path.data(), O_CLOEXEC));
    if (file.get() < 0) return trouble_here(system_error("make '" + path + "'", errno));
    constexpr std::string_view kScript = "#!/bin/sh\n";
    const bool whole =
        ::write(file.get(), kScript.data(), kScript.size()) == static_cast<ssize_t>(kScript.size());
    const int failure = errno;
    if (whole) return path;
    ::unlink(path.c_str());
    return trouble_here(system_error("write '" + path + "'", failure));
  }

  const Site& site_;
  const Clock& clock_;
  const std::string agent_path_;
  const bool is_root_;
  std::unique_ptr<SlurmTransport> transport_;
  const SlurmCluster cluster_;
  SlurmWatch watch_;
  KnownJobs<SlurmAllocation> jobs_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> make_slurm_launcher(const LauncherContext& context) {
  auto transport = context.site.slurm.transport == "rest" ? make_slurm_rest(context)
                                                          : make_slurm_commands(context);
  TRY_ASSIGN(SlurmCluster cluster, transport->cluster(context.clock.steady() + kSlurmCallDeadline));
  const auto& all = cluster.partitions;
  if (std::find(all.begin(), all.end(), cluster.partition) == all.end()) {
    std::string names;
    for (const std::string& name : all) names += (names.empty() ? "" : ", ") + name;
    return Error{
        ErrorCode::unavailable,
        (cluster.partition.empty() ? std::string("this Slurm tells of no default partition")
                                   : "this Slurm has no partition '" + cluster.partition + "'") +
            "; set slurm.partition in the site to one of: " + names,
        false};
  }
  return std::unique_ptr<Launcher>(
      std::make_unique<SlurmLauncher>(context, std::move(transport), std::move(cluster)));
}

}  // namespace kneepoint
