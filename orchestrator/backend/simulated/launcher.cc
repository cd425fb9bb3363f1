// SPDX-License-Identifier: Apache-2.0
//
// The simulated backend: a seeded cluster with a virtual clock. Each study has its own, in the
// journal <directory>/simulated.journal; nothing else of it outlives the controller. Time passes
// only when someone looks: every observe() of something unfinished moves the clock on.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "orchestrator/backend/backends.h"
#include "orchestrator/backend/simulated/cluster.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

using simulated::SimulatedJob;

constexpr int kSimulatedConcurrent = 256;

struct Known : simulated::Opened {
  bool owes_clock = false;  // the clock moved on and its line is not written yet

  Result<void> append(const std::string& lines) {
    TRY(journal.append((owes_clock ? simulated::clock_line(cluster.now()) : "") + lines));
    owes_clock = false;
    return {};
  }
};

class SimulatedLauncher final : public Launcher {
 public:
  explicit SimulatedLauncher(const LauncherContext& context)
      : site_(context.site.simulated), clock_(context.clock) {}

  Capabilities capabilities() const override {
    Capabilities capabilities;
    capabilities.nodes = site_.nodes;
    capabilities.cores_per_node = site_.cores_per_node;
    capabilities.gpus_per_node = site_.gpus_per_node;
    capabilities.default_concurrent = kSimulatedConcurrent;
    capabilities.poll_interval = 0;
    return capabilities;
  }

  std::vector<Result<JobRef>> submit(std::span<const AllocationRequest> requests,
                                     Deadline deadline) override {
    return each_in_time<JobRef>(clock_, deadline, requests, "submit",
                                [this](const auto& request) { return submit_one(request); });
  }

  Result<std::vector<Observation>> observe(std::span<const JobRef> jobs,
                                           Deadline deadline) override {
    if (clock_.steady() > deadline) return deadline_passed("observe");
    // A cluster moves on once, however many of its jobs are asked for.
    std::vector<const Known*> theirs;
    std::set<Known*> unfinished;
    for (const JobRef& job : jobs) {
      TRY_ASSIGN(Known * known, find(job.directory));
      theirs.push_back(known);
      const SimulatedJob* found = known == nullptr ? nullptr : known->cluster.find(job.name);
      if (found != nullptr && found->state != AllocationState::ended) unfinished.insert(known);
    }
    for (Known* known : unfinished) TRY(move_on(*known));
    std::vector<Observation> observations;
    observations.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      observations.push_back(observation_of(jobs[i], theirs[i]));
    }
    return observations;
  }

  std::vector<Result<void>> cancel(std::span<const JobRef> jobs, Deadline deadline) override {
    return each_in_time<void>(clock_, deadline, jobs, "cancel",
                              [this](const JobRef& job) { return cancel_one(job); });
  }

  Result<Artifacts> collect(const JobRef& job, Deadline deadline) override {
    if (clock_.steady() > deadline) return deadline_passed("collect " + job.name);
    TRY_ASSIGN(Known * known, find(job.directory));
    const SimulatedJob* found = known == nullptr ? nullptr : known->cluster.find(job.name);
    if (found == nullptr) {
      return Error{ErrorCode::not_found,
                   "collect " + job.name + ": the simulated cluster of '" + job.directory +
                       "' has no such job",
                   false};
    }
    return simulated::artifacts_of(*found, known->cluster.now());
  }

  std::vector<EmittedFile> emit(const AllocationRequest& request) const override {
    JsonWriter w(2);
    w.begin_object().put("name", request.name).put("nodes", request.shape.nodes);
    w.key("steps").begin_array();
    for (const Step& step : request.steps) {
      const auto drawn = simulated::draw_step(site_, step);
      w.begin_object().put("attempt", step.attempt).put("ranks", drawn.ranks);
      w.put("seconds", drawn.seconds).put("command", step.command.argv).end_object();
    }
    w.end_array().end_object();
    return {{request.name + ".simulated.json", w.text() + "\n"}};
  }

 private:
  // The cluster of this folder; nullptr when it has none and none is to be made.
  Result<Known*> find(const std::string& directory, bool or_make = false) {
    if (const auto found = clusters_.find(directory); found != clusters_.end()) {
      return &found->second;
    }
    const std::string path = directory + "/simulated.journal";
    if (!or_make && !path_exists(path)) return static_cast<Known*>(nullptr);
    TRY_ASSIGN(auto opened, simulated::open_journal(path, site_.nodes));
    return &clusters_.emplace(directory, Known{std::move(opened)}).first->second;
  }

  static JobRef reference(const SimulatedJob& job, const std::string& directory) {
    return JobRef{job.name, directory, "simulated:" + job.name, job.submitted};
  }

  Result<JobRef> submit_one(const AllocationRequest& request) {
    TRY_ASSIGN(Known * known, find(request.directory, true));
    if (const SimulatedJob* before = known->cluster.find(request.name); before != nullptr) {
      return reference(*before, request.directory);
    }
    if (request.steps.empty()) return Error{ErrorCode::invalid, "it has no step", false};
    const int has = known->cluster.nodes();
    SimulatedJob job;
    job.name = request.name;
    job.nodes = std::max(1, request.shape.nodes);
    job.limit = request.limit;
    job.wait = simulated::draw_wait(site_, request.name);
    if (job.nodes > has) {
      return Error{ErrorCode::invalid,
                   "it asks for " + std::to_string(job.nodes) +
                       " nodes and the simulated cluster has " + std::to_string(has) +
                       (has == site_.nodes ? "; raise simulated.nodes of the site"
                                           : ", the size it was made with; `run --new` makes one "
                                             "of the size the site says now"),
                   false};
    }
    for (const Step& step : request.steps) {
      job.steps.push_back(simulated::draw_step(site_, step));
      const double seconds = job.steps.back().seconds;
      if (std::isfinite(seconds) && seconds > 0) continue;
      return Error{ErrorCode::invalid,
                   "the model of " + step.attempt + " gives a time of " + std::to_string(seconds) +
                       " s; expected more than 0",
                   false};
    }
    // On the disk first: a job that nobody remembers was never submitted.
    TRY(known->append(simulated::submit_line(job)));
    known->cluster.submit(std::move(job));
    return reference(*known->cluster.find(request.name), request.directory);
  }

  // The clock's line is written after the move; without it the next controller makes the same one.
  static Result<void> move_on(Known& known) {
    known.owes_clock = known.cluster.advance() || known.owes_clock;
    return known.owes_clock ? known.append("") : Result<void>();
  }

  Result<void> cancel_one(const JobRef& job) {
    TRY_ASSIGN(Known * known, find(job.directory));
    const SimulatedJob* found = known == nullptr ? nullptr : known->cluster.find(job.name);
    if (found == nullptr || found->state == AllocationState::ended) return {};
    TRY(known->append(simulated::cancel_line(job.name)));
    known->cluster.cancel(job.name);
    return {};
  }

  static Observation observation_of(const JobRef& job, const Known* known) {
    Observation seen;
    seen.job = job;
    const SimulatedJob* found = known == nullptr ? nullptr : known->cluster.find(job.name);
    if (found == nullptr) {
      seen.detail = "the simulated cluster does not know it";
      return seen;
    }
    seen.job = reference(*found, job.directory);
    seen.state = found->state;
    seen.submitted_ns = found->submitted;
    seen.started_ns = found->started;
    seen.observed_ns = known->cluster.now();
    if (found->state == AllocationState::queued) seen.detail = "waits for its turn or for nodes";
    if (found->state != AllocationState::ended) return seen;
    seen.ended_ns = found->ended;
    seen.reason = found->reason;
    if (found->reason != Reason::none) seen.detail = sentence(found->reason);
    return seen;
  }

  const SimulatedSite& site_;
  const Clock& clock_;
  std::map<std::string, Known> clusters_;  // by directory
};

}  // namespace

Result<std::unique_ptr<Launcher>> make_simulated_launcher(const LauncherContext& context) {
  return std::unique_ptr<Launcher>(std::make_unique<SimulatedLauncher>(context));
}

}  // namespace kneepoint
