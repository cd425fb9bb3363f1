// SPDX-License-Identifier: Apache-2.0
//
// One step from claim to end record. Begin and provenance are on disk before the workload has done
// much, so that a step whose agent was killed shows as begun without end.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "agents/agent/agent.h"
#include "agents/agent/noise/noise.h"
#include "agents/agent/noise/remote_noise.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/provenance/provenance.h"
#include "agents/agent/run_folder.h"
#include "agents/agent/supervise/outcome.h"
#include "agents/agent/supervise/profile.h"
#include "agents/agent/supervise/record_log.h"
#include "agents/agent/supervise/run_counters.h"
#include "agents/agent/supervise/supervisor.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kExtractionLimit = 10 * kSecond;
constexpr std::size_t kQuotedLine = 200;
constexpr Nanoseconds kTermWait = 5 * kSecond;
constexpr Nanoseconds kCleaning = 12 * kSecond;        // of other pods: silence is noticed before
constexpr Nanoseconds kHurriedCleaning = 4 * kSecond;  // when the Job is being deleted
constexpr std::size_t kMostNote = 1024;

// Ranks that srun starts are its daemons' children, on this node too.
Ours whose_ranks(const StepSpec& step) {
  return step.argv[0].ends_with("srun") ? Ours::job : Ours::descendants;
}

// By SIGTERM, or as starters and shells say so.
bool was_terminated(int wait_status) {
  if (WIFSIGNALED(wait_status)) return WTERMSIG(wait_status) == SIGTERM;
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 128 + SIGTERM;
}

class StepRun {
 public:
  StepRun(StepSpec step, const Facts& node, Signals& signals, RecordLog log)
      : step_(std::move(step)),
        node_(node),
        signals_(signals),
        log_(std::move(log)),
        out_(step_.run_dir + "/stdout.txt"),
        err_(step_.run_dir + "/stderr.txt"),
        tail_(step_.run_dir + "/workload.ndjson") {}

  Result<StepEnd> run() {
    const Clock& clock = system_clock();
    const Nanoseconds begun = clock.steady();
    log_.add(record::Begin{step_.attempt, clock.wall()});
    seen_.program = step_.argv[0];
    prepare_folder();
    if (step_.measure_machine) TRY(log_.flush());  // it may take a while
    Facts node = node_;
    for (auto& machine : machine_facts(step_)) node.push_back(std::move(machine));
    for (auto& changing : changing_node_facts(step_)) node.push_back(std::move(changing));
    log_.add(record::Provenance{host_name(), std::move(node)});
    log_.add(record::Provenance{"run", step_facts(step_)});

    seen_.own_harness = step_.own_harness;
    seen_.limit_ns = step_.limit_ns;
    seen_.exit_codes = allowed_exit_codes(step_.sanity);
    if (seen_.start_problem.empty()) TRY(run_workload());
    tail_.follow(log_, true);
    add_findings();

    record::End end = decide_outcome(seen_, log_.read_back());
    if (!folder_.empty() && end.outcome == "succeeded") remove_folder(folder_);
    end.wall_ns = clock.wall();
    end.elapsed_ns = clock.steady() - begun;
    end.output_truncated = out_.capture().dropped() > 0 || err_.capture().dropped() > 0;
    TRY(log_.finish(end));
    return seen_.cancelled || !seen_.lost_pod.empty() ? StepEnd::cancelled : StepEnd::done;
  }

 private:
  void prepare_folder() {
    if (!step_.own_folder) return;
    auto folder = make_folder(step_, !environment_variable(kLinkVariable).empty());
    if (!folder) {
      seen_.start_problem = folder.error().message;
      return;
    }
    folder_ = std::move(*folder);
    locate_program(step_, folder_);
  }

  Result<void> run_workload() {
    TRY(log_.flush());
    RemoteNoise elsewhere(step_, signals_);
    elsewhere.start();
    const RunCounters counters(whose_ranks(step_));
    ClockLooks clocks(step_.ranks * step_.threads_per_rank);
    Environment additions = step_.env;
    additions.emplace_back(record::kPathVariable, step_.run_dir + "/workload.ndjson");
    additions.emplace_back("KNEEPOINT_ATTEMPT", step_.attempt);
    if (!folder_.empty()) additions.emplace_back("PWD", folder_);
    const SessionFolder session(step_);
    session.tell(additions);
    const std::string script = step_.run_dir + "/folder.sh";
    if (access(script.c_str(), F_OK) == 0) additions.emplace_back(kFolderVariable, script);
    if (step_.profile == "mpi") library_ = find_part(kProfileLibrary);
    add_profile_variables(step_, library_, additions);
    auto child = start_child(with_passed_variables(step_, !library_.empty()), additions, folder_);
    if (!child) {
      seen_.start_problem = child.error().message;
      return {};
    }
    out_.attach(std::move(child->out));
    err_.attach(std::move(child->err));
    NoiseSampler sampler(step_.noise_sample_ns, busy_cpus(step_));
    Result<void> written;
    const Nanoseconds grace = is_starter(step_.argv[0]) ? kStarterGrace : kGrace;
    const Supervision end = supervise(child->pid, step_.limit_ns, grace, out_, err_, signals_, [&] {
      tail_.follow(log_, false);
      clocks.look(system_clock().steady());
      if (written) written = log_.flush();
      return written.has_value() && !tail_.unreadable() && !lost_for(kGrace);
    });
    sampler.stop();
    elsewhere.stop();
    out_.finish();
    err_.finish();
    TRY(written);
    clean_other_pods(end.cancelled);
    seen_.wait_status = end.wait_status;
    seen_.limit_passed = end.limit_passed;
    // A batch system tells every process of a job to end, one after the other: the workload may
    // have been told before us.
    seen_.cancelled = end.cancelled || (!end.limit_passed && was_terminated(end.wait_status) &&
                                        signals_.cancel_within(kTermWait));
    seen_.stopped_for_records = end.stopped;
    for (const auto* stream : {&out_, &err_}) {
      if (!stream->problem().empty()) seen_.output_problem = stream->problem();
    }
    const Counters spent = counters.spent();
    const auto use = core_use(spent);
    std::vector<NodeNoise> noise = elsewhere.found();
    noise.insert(noise.begin(), {host_name(), sampler.facts(), use});
    noise_ = by_node(noise);
    not_sampled_ = elsewhere.missing();
    counted_ = memory_facts(spent);
    for (auto& clock : clocks.facts()) counted_.push_back(std::move(clock));
    if (const auto others = other_cores(use)) {
      counted_.emplace_back("cpu.others", format_number("%.2f", *others));
    }
    seen_.leftovers += end.leftovers.killed;
    seen_.leftovers_gone = seen_.leftovers_gone && end.leftovers.gone && end.ended;
    seen_.oom_seen = spent.oom_kills.value_or(0) > 0;
    return {};
  }

  // The agent of this pod leaves a note when another pod is lost.
  void note_lost_pod() {
    const std::string path = environment_variable(kLostVariable);
    if (path.empty() || !seen_.lost_pod.empty()) return;
    seen_.lost_pod = read_small(path, kMostNote);
    if (!seen_.lost_pod.empty()) lost_at_ = system_clock().steady();
  }

  // A starter would wait for its daemons on the lost pod.
  bool lost_for(Nanoseconds duration) {
    note_lost_pod();
    return !seen_.lost_pod.empty() && system_clock().steady() - lost_at_ > duration;
  }

  // A pod that does not answer was lost before the agent of this one had noticed.
  void clean_other_pods(bool cancelled) {
    const std::string link = environment_variable(kLinkVariable);
    if (link.empty()) return;
    note_lost_pod();
    if (!seen_.lost_pod.empty()) return;  // all pods end anyway
    const Leftovers cleaned = clean_peers(link, cancelled ? kHurriedCleaning : kCleaning);
    seen_.leftovers += cleaned.killed;
    seen_.leftovers_gone = cleaned.gone;
    note_lost_pod();
  }

  // What is only known when the workload has ended: metrics of its output, where its ranks ran.
  void add_findings() {
    if (!seen_.start_problem.empty()) return;
    const std::vector<MetricSpec> metrics = output_metrics(step_);
    const Extraction found = extract_guarded(
        {metrics, step_.sanity, out_.capture(), err_.capture(), folder_}, kExtractionLimit);
    log_.add_all(found.metrics);
    seen_.metric_problems = found.problems;
    seen_.broken = found.broken;
    const std::string profile = add_derived();
    for (auto& broken : broken_by_values(step_.sanity, log_.read_back().metrics)) {
      seen_.broken.push_back(std::move(broken));
    }
    seen_.bad_lines = tail_.bad_lines();
    seen_.first_bad = tail_.first_bad();
    seen_.last_error_line = last_line(err_.capture(), kQuotedLine);
    if (is_starter(step_.argv[0])) {
      seen_.starter_refusal = starter_refusal(err_.capture().head() + err_.capture().tail());
    }
    const auto number = [&](const char* name) { return std::atoi(fact(node_, name).c_str()); };
    const bool asked = !step_.emulated && !step_.oversubscribed;  // nobody binds those
    const BindingRequest request{asked ? step_.bind : "none", step_.threads_per_rank,
                                 number("cpu.logical"), number("cpu.sockets")};
    Facts facts = {{"binding", verify_binding(request, log_.read_back().ranks)}};
    facts.insert(facts.end(), counted_.begin(), counted_.end());
    if (!folder_.empty()) add_kept(facts);
    if (!profile.empty()) facts.emplace_back("profile", profile);
    if (seen_.leftovers > 0) facts.emplace_back("leftovers", std::to_string(seen_.leftovers));
    if (!not_sampled_.empty()) facts.emplace_back("noise.not_sampled", not_sampled_);
    log_.add(record::Provenance{"run", std::move(facts)});
    for (const auto& [node, seen] : noise_) log_.add(record::Provenance{node, seen});
  }

  void add_kept(Facts& facts) const {
    for (const KeptFile& file : keep_files(step_, folder_)) {
      const bool kept = file.problem.empty();
      facts.emplace_back((kept ? "kept." : "not_kept.") + file.name,
                         kept ? std::to_string(file.size) : file.problem);
    }
  }

  // What the libraries inside the workload left; gives the fact about the profile.
  std::string add_derived() {
    const Reports reports = collect_reports(profile_folder(step_), probe_folder(step_));
    // Reading back is dear where records are many, and mostly there is nothing to derive.
    const bool plain = reports.profiles.empty() && reports.probes.empty() &&
                       output_metrics(step_).size() == step_.metrics.size();
    const Derived derived =
        derive(step_, reports, plain ? record::Records{} : log_.read_back(), !library_.empty());
    log_.add_all(derived.samples, derived.ranks, derived.metrics, derived.profile,
                 derived.operations);
    if (!derived.problem.empty()) seen_.metric_problems.push_back(derived.problem);
    return derived.state;
  }

  StepSpec step_;
  std::string folder_;  // its own; "": it has none
  const Facts& node_;
  Signals& signals_;
  RecordLog log_;
  OutputStream out_;
  OutputStream err_;
  WorkloadTail tail_;
  Observed seen_;
  Nanoseconds lost_at_ = 0;
  Facts counted_;
  std::vector<std::pair<std::string, Facts>> noise_;  // of each node
  std::string not_sampled_;                           // nodes, and why
  std::string library_;                               // that is preloaded; "": none
};

}  // namespace

Result<StepEnd> run_step(const StepSpec& step, const Facts& node, Signals& signals) {
  if (mkdir(step.run_dir.c_str(), 0755) != 0) {
    if (errno == EEXIST) return StepEnd::skipped;
    return system_error("mkdir " + step.run_dir, errno);
  }
  TRY_ASSIGN(RecordLog log, RecordLog::create(step.run_dir + "/records.ndjson"));
  return StepRun(step, node, signals, std::move(log)).run();
}

}  // namespace kneepoint::agent
