// SPDX-License-Identifier: Apache-2.0
//
// A job that was handed over is always waited for or cancelled, and the folder is removed at the
// end, whatever was found.
#include "orchestrator/answers/site/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "agents/wire/record.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/plan/plan/matrix.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kQueuePatience = 10 * kMinute;  // for a job to get through the queue
constexpr Nanoseconds kTakingBack = kMinute;          // for a cancelled one to be gone
constexpr Nanoseconds kQuiet = 10 * kSecond;          // a wait is told of only if it is longer
constexpr int kNoiseRuns = 7;
constexpr char kSeenFile[] = "written-by-doctor";

std::string to_hex(std::uint64_t number) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

Shape shape_of(int nodes, int ranks) {
  Shape shape;
  shape.nodes = nodes;
  shape.ranks = ranks;
  shape.ranks_per_node = ranks / nodes;
  shape.bind = Bind::none;
  return shape;
}

double seconds_of(const record::Records& records) {
  std::int64_t sum = 0;
  for (const record::Sample& sample : records.samples) sum += sample.warmup ? 0 : sample.max_ns;
  return static_cast<double>(sum) / static_cast<double>(kSecond);
}

class Examination {
 public:
  // Context and request outlive it.
  Examination(const Context& context, const DoctorRequest& request)
      : context_(context), request_(request), site_(request.site) {}

  DoctorAnswer run() {
    answer_.site = site_.name;
    if (reach() && try_push() && try_rights() && try_largest() && make_folder()) {
      if (try_job() && try_ranks()) try_noise();
      std::error_code ignored;
      fs::remove_all(folder_, ignored);
    }
    return std::move(answer_);
  }

 private:
  bool reach() {
    const std::string agent = agent_path(site_, context_.executable, fs::current_path().string());
    // On Kubernetes it lies in the image, and the first job shows whether it does.
    if (!on_kubernetes() &&
        !add("agent", ::access(agent.c_str(), X_OK) == 0, agent,
             agent + " can't be started; install it there, or name it with `agent` of the site")) {
      return false;
    }
    auto reached = reach_site(context_, site_);
    const std::string over =
        site_.backend == BackendKind::slurm ? " over " + site_.slurm.transport : "";
    if (!add("reachable", reached.has_value(), to_string(site_.backend) + over,
             reached ? "" : reached.error().message)) {
      return false;
    }
    access_ = std::move(*reached);
    if (auto taken = access_.poller->take_signals(); !taken) {
      return add("signals", false, "", taken.error().message);
    }
    return add(size_finding(site_.limits, access_.capabilities));
  }

  bool make_folder() {
    // Made by whoever comes first: two doctors never share one.
    for (auto number = static_cast<std::uint64_t>(context_.clock.wall());; ++number) {
      number_ = to_hex(number);
      folder_ = request_.root + "/doctor-" + number_;
      const auto claimed = claim_folder(folder_);
      if (!claimed) {
        return add("work_dir", false, "",
                   claimed.error().message + "; name another work_dir in the site");
      }
      if (*claimed) break;
    }
    if (auto written = write_file(folder_ + "/" + kSeenFile, number_ + "\n"); !written) {
      return add("work_dir", false, "",
                 written.error().message + "; name another work_dir in the site");
    }
    return add("work_dir", true, request_.root, "");
  }

  bool try_push() {
    auto finding = request_.try_push();
    return !finding || add(std::move(*finding));
  }

  // The first rehearsal asks what we may do there.
  bool try_rights() {
    if (!on_kubernetes()) return true;
    const auto said = access_.launcher->rehearse(request("rights", Shape{}), soon());
    return add("rights", said.has_value(), "all that a study needs; a dry run of one pod was taken",
               said ? "" : said.error().message);
  }

  // Asked, not submitted.
  bool try_largest() {
    const int nodes = largest_allocation(site_.limits, access_.capabilities);
    if ((site_.backend != BackendKind::slurm && !on_kubernetes()) || nodes == 0) return true;
    const auto said =
        access_.launcher->rehearse(request("largest", shape_of(nodes, nodes)), soon());
    const std::string asked = "a job of " + std::to_string(nodes) + " nodes: ";
    return add("limits", said.has_value(), asked + (said ? *said : ""),
               said ? "" : asked + "would be refused: " + said.error().message);
  }

  bool try_job() {
    AllocationRequest job = request("job", Shape{});
    // What we wrote must be there on the node, and what the agent writes there must come back.
    const std::string script =
        "read -r seen <\"$1\" && [ \"$seen\" = " + number_ + " ] && echo t=1";
    job.steps[0].command.argv = {"sh", "-c", script, "sh", folder_ + "/" + kSeenFile};
    // Nothing is shared there, and the image need not have more than a shell.
    if (on_kubernetes()) job.steps[0].command.argv = {"sh", "-c", "echo t=1"};
    job.steps[0].metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
    const auto done = carry_out(job);
    const Nanoseconds seen = context_.clock.wall();
    if (!add("job", done.has_value(),
             on_kubernetes() ? "a pod started from the image, and its records came home in its log"
                             : "a job on one node saw the files of work_dir, and its are here",
             done ? "" : "a job on one node: " + done.error().message)) {
      return false;
    }
    const record::Records& records = done->front();
    if (site_.backend == BackendKind::simulated || !records.begin) return true;
    return add(clock_finding({handed_over_, records.begin->wall_ns, records.end->wall_ns, seen}));
  }

  bool try_ranks() {
    if (site_.starter == StarterKind::none || site_.backend == BackendKind::simulated) return true;
    const int nodes =
        access_.capabilities.nodes == 1 || access_.capabilities.most_nodes == 1 ? 1 : 2;
    AllocationRequest job = request("ranks", shape_of(nodes, 2));
    Step& step = job.steps[0];
    step.command.argv =
        command_of("kp-synthetic",
                   "--mode weak --workers 2 --warmup 1 --iterations 2 --seconds 0.01 "
                   "--s 0.1 --c 0.01 --work sleep");
    step.starter = {site_.starter, site_.starter_options};
    step.own_harness = true;
    const auto done = carry_out(job);
    const std::string where = nodes == 1 ? "one node" : on_kubernetes() ? "2 pods" : "2 nodes";
    const std::size_t ranks = done ? done->front().ranks.size() : 0;
    return add(
        "mpi", ranks == 2, "2 ranks on " + where + " found each other",
        done ? std::to_string(ranks) + " of 2 ranks reported: another MPI than the starter's?" +
                   (on_kubernetes() ? " The image must have the one its workloads were "
                                      "built with"
                                    : " Say `starter: {kind: srun, mpi: pmix}` or `{kind: "
                                      "mpirun}`")
             : "2 ranks on " + where + ": " + done.error().message +
                   (on_kubernetes()
                        ? "; check that the image has Open MPI and that pods reach each other "
                          "(a NetworkPolicy?)"
                        : "; check `starter` of the site (Open MPI under srun: `mpi: pmix`)"));
  }

  // The same work in several runs of one job. It never makes a site unready: a noisy one needs more
  // repeats.
  void try_noise() {
    if (site_.starter == StarterKind::none || site_.backend == BackendKind::simulated) return;
    AllocationRequest job = request("noise", shape_of(1, 1));
    Step step = job.steps[0];
    step.emulated = false;
    step.command.argv =
        command_of("kp-monte_carlo", "--mode strong --size 10000000 --warmup 1 --iterations 5");
    step.starter = {site_.starter, site_.starter_options};
    step.own_harness = true;
    job.steps.clear();
    for (int i = 1; i <= kNoiseRuns; ++i) {
      step.attempt = "noise" + std::to_string(i);
      step.run_dir = folder_ + "/" + step.attempt;
      job.steps.push_back(step);
    }
    job.limit = kNoiseRuns * kMinute;
    const auto done = carry_out(job);
    if (!done) {
      add({"noise", Grade::warning,
           "the spread of T is not known: " + done.error().message +
               "; is kp-monte_carlo in `programs` of the site?"});
      return;
    }
    std::vector<double> seconds;
    for (const record::Records& records : *done) seconds.push_back(seconds_of(records));
    add(noise_finding(seconds));
  }

  bool on_kubernetes() const { return site_.backend == BackendKind::kubernetes; }

  bool add(SiteFinding finding) {
    const bool good = finding.grade != Grade::bad;
    if (!answer_.interrupted) answer_.findings.push_back(std::move(finding));
    return good && !answer_.interrupted;
  }

  bool add(const std::string& what, bool good, const std::string& text, const std::string& fix) {
    return add({what, good ? Grade::ok : Grade::bad, good ? text : fix});
  }

  std::vector<std::string> command_of(const std::string& program, const std::string& words) const {
    const std::string here = fs::current_path().string();
    std::vector<std::string> argv = {programs_folder(site_, context_.executable, here) + "/" +
                                     program};
    std::istringstream rest(words);
    for (std::string word; rest >> word;) argv.push_back(word);
    return argv;
  }

  AllocationRequest request(const std::string& name, const Shape& shape) const {
    AllocationRequest request;
    request.name = "kp-doctor-" + number_ + "-" + name;
    request.directory = folder_;
    request.shape = shape;
    request.limit = 2 * kMinute;
    Step step;
    step.attempt = name;
    step.run_dir = folder_ + "/" + name;
    step.shape = shape;
    step.limit = kMinute;
    step.identity = name;
    step.modelled_seconds = 1;
    step.emulated = true;
    step.command.environment = site_variables(site_, shape);
    request.steps.push_back(step);
    return request;
  }

  Deadline soon() const { return context_.clock.steady() + access_.capabilities.call_deadline; }

  // The records of every step, once the job has ended; or why there are none.

  Result<std::vector<record::Records>> carry_out(const AllocationRequest& request) {
    Launcher& launcher = *access_.launcher;
    TRY(launcher.rehearse(request, soon()));
    handed_over_ = context_.clock.wall();
    auto job = launcher.submit({&request, 1}, soon()).front();
    if (!job) {
      look_for_signals(0);  // Ctrl-C ends a running sbatch too
      // What Slurm refused outright is not there.
      if (answer_.interrupted || job.error().code != ErrorCode::invalid) {
        take_back(JobRef{request.name, request.directory, "", 0});
      }
      return job.error();
    }
    const auto seen = wait_for(*job);
    if (!seen || seen->state != AllocationState::ended) {
      take_back(*job);
      if (!seen) return seen.error();
      return Error{ErrorCode::io,
                   seen->detail.empty() ? "nobody knows the job any more" : seen->detail};
    }
    TRY_ASSIGN(const Artifacts artifacts, launcher.collect(*job, soon()));
    std::vector<record::Records> all;
    for (const StepArtifacts& step : artifacts.steps) {
      record::Records& records = all.emplace_back(record::parse(step.records));
      if (!records.end) {
        return Error{ErrorCode::io,
                     (seen->detail.empty() ? "it ended, and its files don't appear in " + folder_
                                           : seen->detail) +
                         (on_kubernetes()
                              ? "; is the agent in the image, where `agent` of the site says?"
                              : "; name a work_dir that the nodes share, and see that modules and "
                                "prologue of the site end well")};
      }
      if (records.end->outcome != "succeeded") return Error{ErrorCode::io, records.end->detail};
    }
    return all;
  }

  Result<Observation> wait_for(const JobRef& job) {
    const Nanoseconds began = context_.clock.steady();
    std::string told;
    Observation seen;
    while (context_.clock.steady() < began + kQueuePatience) {
      auto all = access_.launcher->observe({&job, 1}, soon());
      if (all) {
        seen = all->front();
        if (seen.state != AllocationState::queued && seen.state != AllocationState::running) {
          return seen;
        }
      } else if (!all.error().retryable) {
        return all.error();
      } else {
        seen.detail = all.error().message;
      }
      if (context_.clock.steady() > began + kQuiet && seen.detail != told) {
        told = seen.detail;
        request_.say("job " + job.name + " waits: " + told);
      }
      if (look_for_signals(access_.capabilities.poll_interval)) {
        return Error{ErrorCode::interrupted, "interrupted"};
      }
    }
    return Error{ErrorCode::timeout, "the job did not end within " +
                                         to_duration_text(kQueuePatience) + " and was cancelled" +
                                         (seen.detail.empty() ? "" : ": " + seen.detail)};
  }

  void take_back(const JobRef& job) {
    const Nanoseconds until = context_.clock.steady() + kTakingBack;
    bool gone = false;
    while (!gone && context_.clock.steady() < until) {
      const auto cancelled = access_.launcher->cancel({&job, 1}, soon());
      const auto seen = access_.launcher->observe({&job, 1}, soon());
      gone = cancelled.front() && seen && seen->front().state != AllocationState::queued &&
             seen->front().state != AllocationState::running;
      if (!gone) look_for_signals(access_.capabilities.poll_interval);
    }
    if (gone) return;
    request_.say("job " + job.name + " could not be cancelled; look for it with `" +
                 (on_kubernetes() ? "kubectl get jobs -l app.kubernetes.io/managed-by=kneepoint"
                                  : "squeue --me") +
                 "`");
  }

  bool look_for_signals(Nanoseconds at_most) {
    const auto woken = access_.poller->wait(at_most);
    answer_.interrupted = answer_.interrupted || !woken || !woken->signals.empty();
    return answer_.interrupted;
  }

  const Context& context_;
  const DoctorRequest& request_;
  const Site& site_;
  std::string number_;  // unique: part of the folder's and of every job's name
  std::string folder_;
  SiteAccess access_;
  Nanoseconds handed_over_ = 0;  // when the last job was, by the wall clock
  DoctorAnswer answer_;
};

}  // namespace

bool DoctorAnswer::is_ready() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const SiteFinding& one) { return one.grade == Grade::bad; });
}

DoctorAnswer examine_site(const Context& context, const DoctorRequest& request) {
  return Examination(context, request).run();
}

}  // namespace kneepoint
