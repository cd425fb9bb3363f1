// SPDX-License-Identifier: Apache-2.0
//
// One run is one step. An allocation holds one of them or many.
#include "orchestrator/engine/requests.h"

#include <algorithm>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

// Cuts `order` into contiguous pieces of at most `most` steps whose limits fit; a pair stays
// together even if it is more than that. With the usual interleaving each allocation then holds
// whole repeats of every point, its own baseline included.
std::vector<std::vector<int>> cut(const std::vector<int>& order,
                                  const std::vector<PackItem>& waiting, std::size_t most,
                                  Nanoseconds limit) {
  std::vector<std::vector<int>> batches;
  Nanoseconds taken = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    Nanoseconds needs = 0;
    for (bool more = true; more && end < order.size(); ++end) {
      const PackItem& item = waiting[static_cast<std::size_t>(order[end])];
      needs += item.limit + kStepMargin;
      more = item.with_next;
    }
    if (batches.empty() || batches.back().size() + (end - first) > most || taken + needs > limit) {
      batches.emplace_back();
      taken = 0;
    }
    for (; first < end; ++first) batches.back().push_back(order[first]);
    taken += needs;
  }
  return batches;
}

}  // namespace

std::vector<std::vector<int>> pack(const std::vector<PackItem>& waiting, const Packing& packing,
                                   int places, int most_nodes) {
  const bool packed = packing.mode == PackingMode::packed;
  std::vector<int> order, alone;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const bool too_large = packed && most_nodes > 0 && waiting[i].nodes > most_nodes;
    (too_large ? alone : order).push_back(static_cast<int>(i));
  }
  if (!packed) return cut(order, waiting, 1, packing.limit);

  const std::size_t most = packing.steps > 0 ? static_cast<std::size_t>(packing.steps)
                                             : std::max<std::size_t>(1, order.size());
  std::vector<std::vector<int>> batches = cut(order, waiting, most, packing.limit);
  if (!batches.empty()) {
    // As many pieces as needed, and at least one for each place; all of about the same length.
    const std::size_t wanted = std::max<std::size_t>(
        batches.size(), std::min(order.size(), static_cast<std::size_t>(std::max(1, places))));
    std::size_t even = (order.size() + wanted - 1) / wanted;
    const bool pairs = std::any_of(waiting.begin(), waiting.end(),
                                   [](const PackItem& item) { return item.with_next; });
    if (pairs) even += even % 2;
    batches = cut(order, waiting, std::min(most, even), packing.limit);
  }
  for (const int index : alone) batches.push_back({index});
  return batches;
}

Nanoseconds longest_allocation(const Packing& packing, Nanoseconds timeout) {
  if (packing.mode == PackingMode::one_per_run) return timeout;
  return std::max(packing.limit, timeout + kStepMargin);
}

int wished_concurrent(const Packing& packing, const Limits& plan, int asked) {
  if (packing.mode == PackingMode::one_per_run) return asked;
  const int wish = asked > 0 ? asked : plan.concurrent;
  return wish > 0 ? std::min(wish, packing.allocations) : packing.allocations;
}

std::string attempt_name(int run_number, int attempt_number) {
  return "r" + std::to_string(run_number) + "-a" + std::to_string(attempt_number);
}

std::string allocation_name(const std::string& hash8, int n, int run_number, int attempt_number,
                            int submissions) {
  std::string name = "kp-" + hash8 + "-" + std::to_string(n) + "-" + std::to_string(run_number) +
                     "-a" + std::to_string(attempt_number);
  if (submissions > 1) name += "-s" + std::to_string(submissions);
  ENSURE(name.size() <= 40, "an allocation's name is too long");
  return name;
}

std::string staged_path(const std::string& directory, const InputFile& file) {
  return directory + "/inputs/" + file.sha256 + (file.executable ? ".x" : "");
}

RunIdentity identity_of(const StudyRow& study, const RunRow& run, const AttemptRow& attempt) {
  return {study.hash8, study.n,        study.work_dir,     run.number,
          run.repeat,  attempt.number, attempt.submissions};
}

Step step_for(const Point& point, const Plan& plan, const Site& site, const RunIdentity& identity,
              bool oversubscribed) {
  Step step;
  step.attempt = attempt_name(identity.run_number, identity.attempt_number);
  step.run_dir = identity.directory + "/" + step.attempt;
  step.shape = point.shape;
  step.command = point.command;
  if (point.binary.kind == Build::Kind::image) step.image = point.binary.place;
  if (point.mpi) step.starter = {site.starter, site.starter_options};
  step.metrics = point.metrics;
  step.program = point.program;
  for (InputFile& file : step.program.staged) {
    file.source = staged_path(identity.directory, file);
  }
  step.noise_sample = plan.noise.sample_ns;
  step.profile = point.profile;
  step.own_harness = point.own_harness;
  step.emulated = point.emulated;
  step.oversubscribed = oversubscribed;
  step.measure_machine = point.flops > 0 && !point.emulated;
  step.limit = plan.limits.timeout;
  step.modelled_seconds = point.modelled_seconds;
  step.identity = point.key() + "#" + std::to_string(identity.repeat);
  return step;
}

AllocationRequest allocation_for(const std::string& name, const std::string& directory,
                                 std::vector<Step> steps) {
  ENSURE(!steps.empty(), "an allocation has a step");
  AllocationRequest request;
  request.name = name;
  request.directory = directory;
  request.shape = steps.front().shape;
  const bool alone = steps.size() == 1;
  Shape& whole = request.shape;
  const auto width = [](const Shape& shape) {
    return std::pair(shape.ranks_per_node * shape.threads_per_rank, shape.ranks_per_node);
  };
  for (const Step& step : steps) {
    const Shape& part = step.shape;
    if (width(part) > width(whole)) {
      whole.ranks_per_node = part.ranks_per_node;
      whole.threads_per_rank = part.threads_per_rank;
    }
    whole.nodes = std::max(whole.nodes, part.nodes);
    whole.gpus_per_node = std::max(whole.gpus_per_node, part.gpus_per_node);
    request.limit += step.limit + (alone ? 0 : kStepMargin);
  }
  if (!alone) whole.ranks = whole.nodes * whole.ranks_per_node;  // every node as wide as needed
  request.steps = std::move(steps);
  return request;
}

AllocationRequest request_for(const Point& point, const Plan& plan, const Site& site,
                              const RunIdentity& identity, bool oversubscribed) {
  return allocation_for(allocation_name(identity.hash8, identity.n, identity.run_number,
                                        identity.attempt_number, identity.submissions),
                        identity.directory,
                        {step_for(point, plan, site, identity, oversubscribed)});
}

}  // namespace kneepoint
