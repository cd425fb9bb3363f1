// SPDX-License-Identifier: Apache-2.0
//
// One run, one allocation, one step.
#include "orchestrator/engine/requests.h"

#include "orchestrator/base/ensure.h"

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

RunIdentity identity_of(const StudyRow& study, const RunRow& run, const AttemptRow& attempt) {
  return {study.hash8, study.n,        study.work_dir,     run.number,
          run.repeat,  attempt.number, attempt.submissions};
}

AllocationRequest request_for(const Point& point, const Plan& plan, const Site& site,
                              const RunIdentity& identity, bool oversubscribed) {
  Step step;
  step.attempt = attempt_name(identity.run_number, identity.attempt_number);
  step.run_dir = identity.directory + "/" + step.attempt;
  step.shape = point.shape;
  step.command = point.command;
  for (const auto& [name, value] : site.environment) {
    step.command.environment.insert(step.command.environment.begin(), {name, value});
  }
  if (point.mpi) step.starter = {site.starter, site.starter_options};
  step.metrics = point.metrics;
  step.own_harness = point.own_harness;
  step.emulated = point.emulated;
  step.oversubscribed = oversubscribed;
  step.measure_machine = point.flops > 0 && !point.emulated;
  step.limit = plan.limits.timeout;
  step.modelled_seconds = point.modelled_seconds;
  step.identity = point.key() + "#" + std::to_string(identity.repeat);

  AllocationRequest request;
  request.name = allocation_name(identity.hash8, identity.n, identity.run_number,
                                 identity.attempt_number, identity.submissions);
  request.directory = identity.directory;
  request.shape = point.shape;
  request.limit = plan.limits.timeout;
  request.steps.push_back(std::move(step));
  return request;
}

}  // namespace kneepoint
