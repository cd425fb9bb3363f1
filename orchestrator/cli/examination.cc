// SPDX-License-Identifier: Apache-2.0
//
// A job that was handed over is always waited for or cancelled, and the folder is removed at the
// end, whatever was found.
#include "orchestrator/cli/examination.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <ostream>

#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/cli/live_reports.h"

namespace kneepoint::cli {
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

}  // namespace

Examination::Examination(Session& session, const Site& site, std::string root)
    : session_(session), site_(site), root_(std::move(root)) {}

const std::vector<Finding>& Examination::run() {
  if (reach() && try_push() && try_rights() && try_largest() && make_folder()) {
    if (try_job() && try_ranks()) try_noise();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  return findings_;
}

bool Examination::add(Finding finding) {
  const bool good = finding.grade != Grade::bad;
  if (!interrupted_) findings_.push_back(std::move(finding));
  return good && !interrupted_;
}

bool Examination::add(const std::string& what, bool good, const std::string& text,
                      const std::string& fix) {
  return add({what, good ? Grade::ok : Grade::bad, good ? text : fix});
}

Deadline Examination::soon() const {
  return session_.clock.steady() + access_.capabilities.call_deadline;
}

bool Examination::reach() {
  const std::string agent = agent_path(site_, session_.executable, fs::current_path().string());
  // On Kubernetes it lies in the image, and the first job shows whether it does.
  if (!on_kubernetes() &&
      !add("agent", ::access(agent.c_str(), X_OK) == 0, agent,
           agent + " can't be started; install it there, or name it with `agent` of the site")) {
    return false;
  }
  auto reached = reach_site(session_, site_, root_ + "/doctor");
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

// A port that is taken costs live reports only.
bool Examination::try_push() {
  if (!site_.push.on) return true;
  const LiveReportsTry tried = try_live_reports(site_, session_.clock);
  return add({"push",
              tried.good      ? Grade::ok
              : tried.refused ? Grade::bad
                              : Grade::warning,
              tried.text});
}

// The first rehearsal asks what we may do there.
bool Examination::try_rights() {
  if (!on_kubernetes()) return true;
  const auto said = access_.launcher->rehearse(request("rights", Shape{}), soon());
  return add("rights", said.has_value(), "all that a study needs; a dry run of one pod was taken",
             said ? "" : said.error().message);
}

// Asked, not submitted.
bool Examination::try_largest() {
  const int nodes = largest_allocation(site_.limits, access_.capabilities);
  if ((site_.backend != BackendKind::slurm && !on_kubernetes()) || nodes == 0) return true;
  const auto said = access_.launcher->rehearse(request("largest", shape_of(nodes, nodes)), soon());
  const std::string asked = "a job of " + std::to_string(nodes) + " nodes: ";
  return add("limits", said.has_value(), asked + (said ? *said : ""),
             said ? "" : asked + "would be refused: " + said.error().message);
}

bool Examination::make_folder() {
  // Made by whoever comes first: two doctors never share one.
  for (auto number = static_cast<std::uint64_t>(session_.clock.wall());; ++number) {
    number_ = to_hex(number);
    folder_ = root_ + "/doctor-" + number_;
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
  return add("work_dir", true, root_, "");
}

std::string Examination::program(const std::string& name) const {
  return programs_folder(site_, session_.executable, fs::current_path().string()) + "/" + name;
}

AllocationRequest Examination::request(const std::string& name, const Shape& shape) const {
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
  request.steps.push_back(step);
  return request;
}

bool Examination::look_for_signals(Nanoseconds at_most) {
  const auto woken = access_.poller->wait(at_most);
  interrupted_ = interrupted_ || !woken || !woken->signals.empty();
  return interrupted_;
}

Result<Observation> Examination::wait_for(const JobRef& job) {
  const Nanoseconds began = session_.clock.steady();
  std::string told;
  Observation seen;
  while (session_.clock.steady() < began + kQueuePatience) {
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
    if (session_.clock.steady() > began + kQuiet && seen.detail != told) {
      told = seen.detail;
      session_.err << "kneepoint: doctor: job " << job.name << " waits: " << told << std::endl;
    }
    if (look_for_signals(access_.capabilities.poll_interval)) {
      return Error{ErrorCode::interrupted, "interrupted"};
    }
  }
  return Error{ErrorCode::timeout, "the job did not end within " +
                                       to_duration_text(kQueuePatience) + " and was cancelled" +
                                       (seen.detail.empty() ? "" : ": " + seen.detail)};
}

void Examination::take_back(const JobRef& job) {
  const Nanoseconds until = session_.clock.steady() + kTakingBack;
  bool gone = false;
  while (!gone && session_.clock.steady() < until) {
    const auto cancelled = access_.launcher->cancel({&job, 1}, soon());
    const auto seen = access_.launcher->observe({&job, 1}, soon());
    gone = cancelled.front() && seen && seen->front().state != AllocationState::queued &&
           seen->front().state != AllocationState::running;
    if (!gone) look_for_signals(access_.capabilities.poll_interval);
  }
  if (gone) return;
  session_.err << "kneepoint: doctor: job " << job.name
               << " could not be cancelled; look for it with `"
               << (on_kubernetes() ? "kubectl get jobs -l app.kubernetes.io/managed-by=kneepoint"
                                   : "squeue --me")
               << "`" << std::endl;
}

Result<std::vector<record::Records>> Examination::carry_out(const AllocationRequest& request) {
  Launcher& launcher = *access_.launcher;
  TRY(launcher.rehearse(request, soon()));
  handed_over_ = session_.clock.wall();
  auto job = launcher.submit({&request, 1}, soon()).front();
  if (!job) {
    look_for_signals(0);  // Ctrl-C ends a running sbatch too
    // What Slurm refused outright is not there.
    if (interrupted_ || job.error().code != ErrorCode::invalid) {
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
      return Error{
          ErrorCode::io,
          (seen->detail.empty() ? "it ended, and its files don't appear in " + folder_
                                : seen->detail) +
              (on_kubernetes() ? "; is the agent in the image, where `agent` of the site says?"
                               : "; name a work_dir that the nodes share, and see that modules and "
                                 "prologue of the site end well")};
    }
    if (records.end->outcome != "succeeded") return Error{ErrorCode::io, records.end->detail};
  }
  return all;
}

bool Examination::try_job() {
  AllocationRequest job = request("job", Shape{});
  // What we wrote must be there on the node, and what the agent writes there must come back.
  const std::string script = "read -r seen <\"$1\" && [ \"$seen\" = " + number_ + " ] && echo t=1";
  job.steps[0].command.argv = {"sh", "-c", script, "sh", folder_ + "/" + kSeenFile};
  // Nothing is shared there, and the image need not have more than a shell.
  if (on_kubernetes()) job.steps[0].command.argv = {"sh", "-c", "echo t=1"};
  job.steps[0].metrics = {{"time", "t=([0-9.]+)", "s", "stdout"}};
  const auto done = carry_out(job);
  const Nanoseconds seen = session_.clock.wall();
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

bool Examination::try_ranks() {
  if (site_.starter == StarterKind::none || site_.backend == BackendKind::simulated) return true;
  const int nodes = access_.capabilities.nodes == 1 || access_.capabilities.most_nodes == 1 ? 1 : 2;
  AllocationRequest job = request("ranks", shape_of(nodes, 2));
  Step& step = job.steps[0];
  step.command.argv = {program("kp-synthetic"),
                       "--mode",
                       "weak",
                       "--workers",
                       "2",
                       "--warmup",
                       "1",
                       "--iterations",
                       "2",
                       "--seconds",
                       "0.01",
                       "--s",
                       "0.1",
                       "--c",
                       "0.01",
                       "--work",
                       "sleep"};
  step.starter = {site_.starter, site_.starter_options};
  step.own_harness = true;
  const auto done = carry_out(job);
  const std::string where = nodes == 1 ? "one node" : on_kubernetes() ? "2 pods" : "2 nodes";
  const std::size_t ranks = done ? done->front().ranks.size() : 0;
  return add("mpi", ranks == 2, "2 ranks on " + where + " found each other",
             done
                 ? std::to_string(ranks) + " of 2 ranks reported: another MPI than the starter's?" +
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
void Examination::try_noise() {
  if (site_.starter == StarterKind::none || site_.backend == BackendKind::simulated) return;
  AllocationRequest job = request("noise", shape_of(1, 1));
  Step step = job.steps[0];
  step.emulated = false;
  step.command.argv = {program("kp-monte_carlo"),
                       "--mode",
                       "strong",
                       "--size",
                       "10000000",
                       "--warmup",
                       "1",
                       "--iterations",
                       "5"};
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

}  // namespace kneepoint::cli
