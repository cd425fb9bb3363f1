// SPDX-License-Identifier: Apache-2.0
//
// plm_rsh_agent is what Open MPI calls "ssh": HOST and one shell text. Tree spawning is off, since
// only pod 0 has links to all pods. The daemons stay in the foreground, so that their end is seen;
// Open MPI then refuses to start more of them than it may at once.
#include "orchestrator/backend/kubernetes/steps.h"

#include <algorithm>
#include <set>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/backend/mpirun_command.h"

namespace kneepoint {
namespace {

constexpr int kUsualConcurrent = 128;
constexpr char kRunFolder[] = "/kneepoint/runs/";

// "-x NAME" for what must reach the ranks in other pods. Open MPI passes its own on by itself.
std::vector<std::string> passed_on(const KubeEnvironment& environment) {
  std::vector<std::string> options;
  std::set<std::string> names;
  for (const auto& [name, value] : environment) {
    if (name.starts_with("OMPI_") || !names.insert(name).second) continue;
    options.insert(options.end(), {"-x", name});
  }
  return options;
}

std::vector<std::string> mpirun_argv(const Step& step, const Site& site, const std::string& job,
                                     const std::vector<std::string>& passed) {
  const Shape& shape = step.shape;
  std::string hosts;
  for (const std::string& host : kube_hosts(site, job, shape.nodes)) {
    hosts += (hosts.empty() ? "" : ",") + host + ":" + std::to_string(shape.ranks_per_node);
  }
  std::vector<std::string> argv = {"mpirun", "-n", std::to_string(shape.ranks), "--host", hosts};
  const std::vector<std::pair<std::string, std::string>> parameters = {
      {"plm", "rsh"},
      {"plm_rsh_agent", kube_agent(site) + " exec"},
      {"plm_rsh_no_tree_spawn", "1"},
      {"plm_rsh_num_concurrent", std::to_string(std::max(kUsualConcurrent, shape.nodes))},
      {"orte_leave_session_attached", "1"},
      {"orte_keep_fqdn_hostnames", "1"}};
  for (const auto& [name, value] : parameters) {
    argv.insert(argv.end(), {"--mca", name, value});
  }
  if (!site_places_ranks(step.starter)) {
    const bool binds = wants_binding(step);
    std::string map = "ppr:" + std::to_string(shape.ranks_per_node) + ":node";
    if (binds) map += ":PE=" + std::to_string(shape.threads_per_rank);
    argv.insert(argv.end(), {"--map-by", map, "--bind-to",
                             !binds                       ? "none"
                             : shape.bind == Bind::socket ? "socket"
                                                          : "core"});
  }
  if (step.emulated || step.oversubscribed) {
    argv.insert(argv.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  }
  argv.insert(argv.end(), passed.begin(), passed.end());
  argv.insert(argv.end(), step.starter.options.begin(), step.starter.options.end());
  return argv;
}

// The operator tells mpirun of its hostfile and of options for ssh; the agents are no ssh.
void forget_operators_ways(KubeEnvironment& environment) {
  environment.emplace_back("OMPI_MCA_orte_default_hostfile", "none");
  environment.emplace_back("OMPI_MCA_plm_rsh_args", "");
}

}  // namespace

std::string kube_agent(const Site& site) {
  return site.agent.empty() ? kImageAgent : site.agent;
}

// Pod 0 knows its plain host name without asking: the other one may not be there yet when a run of
// one pod starts, and mpirun would take it for another machine.
std::vector<std::string> kube_hosts(const Site& site, const std::string& job, int nodes) {
  const bool is_mpi_job = site.kubernetes.mpi_job;
  std::vector<std::string> hosts = {job + (is_mpi_job ? "-launcher" : "-0")};
  for (int i = 1; i < nodes; ++i) {
    const std::string which = is_mpi_job ? "worker-" + std::to_string(i - 1) : std::to_string(i);
    hosts.push_back(job + "-" + which + "." + job);
  }
  return hosts;
}

std::vector<std::string> kube_step_argv(const Step& step, const Site& site, const std::string& job,
                                        const KubeEnvironment& environment) {
  std::vector<std::string> argv;
  if (step.starter.kind == StarterKind::mpirun) {
    argv = mpirun_argv(step, site, job, passed_on(environment));
  } else if (step.shape.nodes > 1) {
    argv = {kube_agent(site), "spread", std::to_string(step.shape.nodes)};
    if (step.shape.ranks_per_node > 1) {
      argv.insert(argv.end(), {"-r", std::to_string(step.shape.ranks_per_node)});
    }
    const auto passed = passed_on(environment);
    argv.insert(argv.end(), passed.begin(), passed.end());
    argv.emplace_back("--");
  }
  argv.insert(argv.end(), step.command.argv.begin(), step.command.argv.end());
  return argv;
}

std::string kube_allocation_text(const AllocationRequest& request, const Site& site,
                                 const std::string& job) {
  std::vector<Step> steps = request.steps;
  AllocationFile file = allocation_of(request);
  for (Step& step : steps) {
    step.run_dir = kRunFolder + step.attempt;
    for (InputFile& input : step.program.staged) input.source.clear();  // pods share no folder
    KubeEnvironment environment;
    environment.emplace_back("OMP_NUM_THREADS", std::to_string(step.shape.threads_per_rank));
    if (step.starter.kind == StarterKind::mpirun) {
      // As variables, since mpirun refuses a parameter that it is told twice: a site with another
      // network says so by its own variables or options.
      environment.emplace_back("OMPI_MCA_btl", "self,vader,tcp");
      environment.emplace_back("OMPI_MCA_pml", "ob1");
      if (site.kubernetes.mpi_job) forget_operators_ways(environment);
    }
    if (site.kubernetes.run_as_user == 0 && step.starter.kind == StarterKind::mpirun) {
      environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
      environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    for (const auto& variable : site.environment) environment.push_back(variable);
    for (const EnvironmentVariable& variable : step.command.environment) {
      environment.emplace_back(variable.name, variable.value);
    }
    file.steps.push_back(step_spec(step, kube_step_argv(step, site, job, environment), environment,
                                   kMostKeptBytesInLog));
    file.steps.back().nodes = step.shape.nodes;
  }
  return allocation_text(file);
}

}  // namespace kneepoint
