// SPDX-License-Identifier: Apache-2.0
//
// One run is one step. An allocation holds one of them or many.
#include "orchestrator/engine/requests.h"

#include <algorithm>

#include "orchestrator/base/ensure.h"
#include "orchestrator/engine/packing.h"

namespace kneepoint {

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
  for (const auto& [name, value] : site.environment) {
    step.command.environment.insert(step.command.environment.begin(), {name, value});
  }
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
