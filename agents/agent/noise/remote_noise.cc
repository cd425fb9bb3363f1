// SPDX-License-Identifier: Apache-2.0
//
// srun hands its standard input to all tasks: when it ends, they do. In a pod a sampler ends by
// SIGTERM. The samplers are ready before the workload starts, so that starting them is no noise.
#include "agents/agent/noise/remote_noise.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "agents/agent/pod/client.h"
#include "agents/agent/pod/pod.h"
#include "agents/agent/provenance/spread.h"
#include "agents/agent/supervise/child.h"
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

std::string joined(const std::vector<std::string>& names, const char* between) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : between) + name;
  return text;
}

// The first line that says "error", else the last one.
std::string reason_in(const std::string& errors) {
  std::string reason;
  for (std::size_t at = 0; at < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', at), errors.size());
    if (end > at) reason = errors.substr(at, end - at);
    if (reason.find("error") != std::string::npos) break;
    at = end + 1;
  }
  return reason.substr(0, kMostReason);
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

std::vector<std::string> sampling_step(const std::vector<std::string>& nodes,
                                       const std::string& agent, const StepSpec& step) {
  const std::string count = std::to_string(nodes.size());
  return {"srun",
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
          agent,
          "sample",
          std::to_string(std::max<std::int64_t>(1, step.noise_sample_ns / kMillisecond)),
          std::to_string(busy_cpus(step)),
          "eof"};
}

// One connection: a srun for all nodes, or the client of one pod.
struct RemoteNoise::Source {
  std::vector<std::string> nodes;
  Child child;
  Fd input;  // srun's: closed to end it
  std::optional<PodClient> client;
  SamplerReader reader;
  std::string errors;

  bool is_open() const { return client ? client->is_open() : child.out.is_open(); }
  void watch(std::vector<pollfd>& entries) const {
    if (client && client->is_open()) entries.push_back({client->fd(), POLLIN, 0});
    for (const Fd* pipe : {&child.out, &child.err}) {
      if (pipe->is_open()) entries.push_back({pipe->get(), POLLIN, 0});
    }
  }
  void note(std::string_view text) {
    errors += text.substr(0, kMostErrors - std::min(kMostErrors, errors.size()));
  }
  void look() { client ? look_at_client() : look_at_pipes(); }

 private:
  void look_at_client() {
    pollfd entry{client->fd(), POLLIN, 0};
    if (client->is_open() && poll(&entry, 1, 0) > 0) client->receive();
    while (const auto message = client->next()) {
      const std::string_view payload = message->payload;
      if (message->type == 'O' && !payload.empty()) {
        payload[0] == 1 ? reader.take(payload.substr(1)) : note(payload.substr(1));
      } else if (message->type == 'X') {
        note(decoded_end(payload).text);
        client->close();
      }
    }
  }
  void look_at_pipes() {
    drain_pipes(child, [this](char stream, std::string_view bytes) {
      stream == 1 ? reader.take(bytes) : note(bytes);
    });
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
  in_pods ? start_in_pods(others.names) : start_by_srun(others.names);
  listen(kReadyLimit, true);
}

void RemoteNoise::start_by_srun(const std::vector<std::string>& nodes) {
  auto pipe = make_pipe();
  if (!pipe) return miss(nodes, pipe.error().message);
  auto source = std::make_unique<Source>();
  source->input = std::move(pipe->write_end);
  source->nodes = nodes;
  auto child =
      start_child(sampling_step(nodes, own_program(), step_), {}, "", pipe->read_end.get());
  if (!child) return miss(nodes, child.error().message);
  source->child = std::move(*child);
  spare_child(source->child.pid);
  sources_.push_back(std::move(source));
}

void RemoteNoise::start_in_pods(const std::vector<std::string>& pods) {
  const std::string text = shell_text(
      {}, {own_program(), "sample",
           std::to_string(std::max<std::int64_t>(1, step_.noise_sample_ns / kMillisecond)),
           std::to_string(busy_cpus(step_)), "signal"});
  for (const std::string& pod : pods) {
    auto client = PodClient::open(environment_variable(kLinkVariable));
    if (!client) {
      miss({pod}, client.error().message);
      continue;
    }
    client->send({'R', pod + '\0' + text});
    auto source = std::make_unique<Source>();
    source->nodes = {pod};
    source->client.emplace(std::move(*client));
    sources_.push_back(std::move(source));
  }
}

void RemoteNoise::listen(Nanoseconds most, bool until_ready) {
  const Nanoseconds deadline = system_clock().steady() + most;
  for (;;) {
    std::vector<pollfd> entries = {{signals_.fd(), POLLIN, 0}};
    bool all = true;
    for (const auto& source : sources_) {
      source->look();
      all = all &&
            (!source->is_open() || (until_ready && source->reader.ready() >= source->nodes.size()));
      source->watch(entries);
    }
    signals_.read_pending();
    if (all || system_clock().steady() >= deadline) return;
    if (until_ready && signals_.cancel_asked()) return;
    poll(entries.data(), entries.size(), kNoiseTurnMs);
  }
}

void RemoteNoise::stop() {
  if (sources_.empty()) return;
  for (const auto& source : sources_) {
    source->input.reset();
    if (source->client && source->client->is_open()) {
      source->client->send({'K', std::string(1, static_cast<char>(SIGTERM))});
    }
  }
  signals_.read_pending();
  listen(signals_.cancel_asked() ? kHurriedLimit : kEndLimit, false);
  for (const auto& source : sources_) {
    std::vector<std::string> missed = source->nodes;
    for (const NodeNoise& one : source->reader.ended()) {
      found_.push_back(one);
      if (source->client) missed.clear();  // known by the pod, told by its node
      std::erase(missed, one.node);
    }
    if (missed.empty()) continue;
    const std::string said = reason_in(source->errors);
    const bool was_ready = source->reader.ready() > 0;
    miss(missed, !said.empty() ? said
                 : was_ready   ? "what was found did not come"
                               : "no sampler answered within " + to_duration_text(kReadyLimit));
  }
  end_sources();
}

// A srun that is told to end ends its tasks; the connection of a pod takes its process along.
void RemoteNoise::end_sources() {
  for (const auto& source : sources_) {
    if (source->client || source->child.pid <= 0) continue;
    source->input.reset();
    if (source->child.out.is_open()) {
      kill(source->child.pid, SIGTERM);
      listen(kHurriedLimit, false);
      if (source->child.out.is_open()) kill(source->child.pid, SIGKILL);
    }
    end_spared_child(source->child.pid);
  }
  sources_.clear();
}

}  // namespace kneepoint::agent
