// SPDX-License-Identifier: Apache-2.0
//
// srun hands its standard input to all tasks: when it ends, they do. In a pod a sampler ends by
// SIGTERM, which `exec` hands on. The samplers are ready before the workload starts, so that
// starting them is no noise.
#include "agents/agent/noise/remote_noise.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "agents/agent/pod/pod.h"
#include "agents/agent/supervise/child.h"
#include "agents/agent/text.h"
#include "orchestrator/base/node_list.h"
#include "orchestrator/base/text.h"

namespace kneepoint::agent {
namespace {

constexpr Nanoseconds kReadyLimit = 15 * kSecond;
constexpr Nanoseconds kEndLimit = 10 * kSecond;
constexpr Nanoseconds kHurriedLimit = 2 * kSecond;
constexpr std::size_t kMostErrors = 4096;
constexpr std::size_t kMostReason = 200;
constexpr int kNoiseTurnMs = 200;

// The first line that says "error", else the last one.
std::string reason_in(const std::string& errors) {
  std::string_view reason;
  for (const std::string_view line : split(errors, '\n')) {
    if (!line.empty()) reason = line;
    if (reason.find("error") != std::string::npos) break;
  }
  return std::string(reason.substr(0, kMostReason));
}

}  // namespace

int busy_cpus(const StepSpec& step) {
  const int nodes = std::max(1, step.nodes);
  return std::max(1, (step.ranks + nodes - 1) / nodes * step.threads_per_rank);
}

OtherNodes other_nodes(const StepSpec& step, const std::string& own) {
  OtherNodes others;
  if (step.nodes < 2) return others;
  if (!environment_variable(kLinkVariable).empty()) {
    const bool is_mpi_job = !environment_variable(kPodVariable).empty();
    for (int pod = 1; pod < step.nodes; ++pod) {
      others.names.push_back(pod_host(environment_variable(kJobVariable), is_mpi_job, pod));
    }
  } else if (step.node_names.empty()) {
    others.problem = "which nodes the step has is not known";
  } else {
    others.names = expand_node_list(step.node_names);
    std::erase(others.names, own);
  }
  return others;
}

// What follows the agent's name.
static std::vector<std::string> sampler_words(const StepSpec& step, const char* ended_by) {
  return {"sample", std::to_string(std::max<std::int64_t>(1, step.noise_sample_ns / kMillisecond)),
          std::to_string(busy_cpus(step)), ended_by};
}

std::vector<std::string> sampling_step(const std::vector<std::string>& nodes,
                                       const std::string& agent, const StepSpec& step) {
  const std::string count = std::to_string(nodes.size());
  std::vector<std::string> argv = {"srun",
                                   "--overlap",
                                   "--quiet",
                                   "--job-name=kneepoint-noise",
                                   "--nodes=" + count,
                                   "--ntasks=" + count,
                                   "--ntasks-per-node=1",
                                   "--cpus-per-task=1",
                                   "--nodelist=" + joined(nodes, ","),
                                   "--mpi=none",
                                   "--cpu-bind=none",
                                   "--kill-on-bad-exit=0",
                                   "--wait=0",
                                   "--input=all",
                                   agent};
  for (std::string& word : sampler_words(step, "eof")) argv.push_back(std::move(word));
  return argv;
}

// One child: a srun for all nodes, or `exec` for one pod.
struct RemoteNoise::Source {
  std::vector<std::string> nodes;
  bool is_pod = false;
  Child child;
  Fd input;  // srun's: closed to end it
  SamplerReader reader;
  std::string errors;

  void look() {
    drain_pipes(child, [this](char stream, std::string_view bytes) {
      if (stream == 1) return reader.take(bytes);
      errors += bytes.substr(0, kMostErrors - std::min(kMostErrors, errors.size()));
    });
  }
  void ask_to_end() {
    input.reset();
    if (is_pod) kill(child.pid, SIGTERM);
  }
};

RemoteNoise::RemoteNoise(const StepSpec& step, Signals& signals) : step_(step), signals_(signals) {}

RemoteNoise::~RemoteNoise() {
  end_sources();
}

void RemoteNoise::miss(const std::vector<std::string>& nodes, const std::string& why) {
  const std::string names = nodes.empty() ? "the other nodes" : joined(nodes, ", ");
  missing_ += (missing_.empty() ? "" : "; ") + names + ": " + why;
}

void RemoteNoise::start() {
  if (step_.noise_sample_ns <= 0) return;
  const bool in_pods = !environment_variable(kLinkVariable).empty();
  if (!in_pods && environment_variable("SLURM_JOB_ID").empty()) return;  // one machine
  const OtherNodes others = other_nodes(step_, environment_variable("SLURMD_NODENAME"));
  if (!others.problem.empty()) return miss({}, others.problem);
  if (others.names.empty()) return;
  if (in_pods) {
    for (const std::string& pod : others.names) start({pod}, sampling_in_pod(pod), true);
  } else {
    start(others.names, sampling_step(others.names, own_program(), step_), false);
  }
  listen(kReadyLimit, true);
}

std::vector<std::string> RemoteNoise::sampling_in_pod(const std::string& pod) const {
  const std::string agent = own_program();
  std::vector<std::string> sampler = {agent};
  for (std::string& word : sampler_words(step_, "signal")) sampler.push_back(std::move(word));
  return {agent, "exec", pod, shell_text({}, sampler)};
}

void RemoteNoise::start(const std::vector<std::string>& nodes, const std::vector<std::string>& argv,
                        bool is_pod) {
  auto pipe = make_pipe();
  if (!pipe) return miss(nodes, pipe.error().message);
  auto child = start_child(argv, {}, "", pipe->read_end.get());
  if (!child) return miss(nodes, child.error().message);
  spare_child(child->pid);
  sources_.push_back({nodes, is_pod, std::move(*child), std::move(pipe->write_end), {}, ""});
}

void RemoteNoise::listen(Nanoseconds most, bool until_ready) {
  const Nanoseconds deadline = system_clock().steady() + most;
  for (;;) {
    std::vector<pollfd> entries = {{signals_.fd(), POLLIN, 0}};
    bool all = true;
    for (Source& source : sources_) {
      source.look();
      all = all && (!source.child.out.is_open() ||
                    (until_ready && source.reader.ready() >= source.nodes.size()));
      source.child.watch(entries);
    }
    signals_.read_pending();
    if (all || system_clock().steady() >= deadline) return;
    if (until_ready && signals_.cancel_asked()) return;
    poll(entries.data(), entries.size(), kNoiseTurnMs);
  }
}

void RemoteNoise::stop() {
  if (sources_.empty()) return;
  for (Source& source : sources_) source.ask_to_end();
  signals_.read_pending();
  listen(signals_.cancel_asked() ? kHurriedLimit : kEndLimit, false);
  for (Source& source : sources_) {
    std::vector<std::string> missed = source.nodes;
    for (const NodeNoise& one : source.reader.ended()) {
      found_.push_back(one);
      if (source.is_pod) missed.clear();  // known by the pod, told by its node
      std::erase(missed, one.node);
    }
    if (missed.empty()) continue;
    const std::string said = reason_in(source.errors);
    const bool was_ready = source.reader.ready() > 0;
    miss(missed, !said.empty() ? said
                 : was_ready   ? "what was found did not come"
                               : "no sampler answered within " + to_duration_text(kReadyLimit));
  }
  end_sources();
}

// A srun that is told to end ends its tasks; an `exec` that is killed takes its process along.
void RemoteNoise::end_sources() {
  for (Source& source : sources_) {
    source.input.reset();
    if (source.child.out.is_open()) {
      kill(source.child.pid, SIGTERM);
      listen(kHurriedLimit, false);
      if (source.child.out.is_open()) kill(source.child.pid, SIGKILL);
    }
    end_spared_child(source.child.pid);
  }
  sources_.clear();
}

}  // namespace kneepoint::agent
