// SPDX-License-Identifier: Apache-2.0
//
// plm_rsh_agent is what Open MPI calls "ssh": HOST and one shell text. Tree spawning is off, since
// only pod 0 has links to all pods. The daemons stay in the foreground, so that their end is seen;
// Open MPI then refuses to start more of them than it may at once.
#include "orchestrator/backend/kubernetes/manifest.h"

#include <algorithm>
#include <set>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/backend/mpirun_command.h"

namespace kneepoint {
namespace {

constexpr int kUsualConcurrent = 128;
constexpr char kRunFolder[] = "/kneepoint/runs/";

// "-x NAME" for what must reach the ranks in other pods. Open MPI passes its own on by itself.
std::vector<std::string> passed_on(const Step& step) {
  std::vector<std::string> options;
  std::set<std::string> names;
  for (const EnvironmentVariable& one : step.command.environment) {
    if (one.name.starts_with("OMPI_") || !names.insert(one.name).second) continue;
    options.insert(options.end(), {"-x", one.name});
  }
  return options;
}

std::vector<std::string> mpirun_argv(const Step& step, const Site& site, const std::string& job) {
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
  add_layout(step, argv);
  const auto passed = passed_on(step);
  argv.insert(argv.end(), passed.begin(), passed.end());
  argv.insert(argv.end(), step.starter.options.begin(), step.starter.options.end());
  return argv;
}

// What mpirun is to know, as variables, since it refuses a parameter that it is told twice: a site
// with another network says so by its own variables or options.
wire::Pairs mpirun_variables(const KubernetesSite& site) {
  wire::Pairs variables = {{"OMPI_MCA_btl", "self,vader,tcp"}, {"OMPI_MCA_pml", "ob1"}};
  if (site.mpi_job) {
    // The operator tells mpirun of its hostfile and of options for ssh; the agents are no ssh.
    variables.emplace_back("OMPI_MCA_orte_default_hostfile", "none");
    variables.emplace_back("OMPI_MCA_plm_rsh_args", "");
  }
  if (site.run_as_user == 0) {
    variables.insert(variables.end(), kRootVariables.begin(), kRootVariables.end());
  }
  return variables;
}

std::vector<std::string> step_argv_in_pods(const Step& step, const Site& site,
                                           const std::string& job) {
  std::vector<std::string> argv;
  if (step.starter.kind == StarterKind::mpirun) {
    argv = mpirun_argv(step, site, job);
  } else if (step.shape.nodes > 1) {
    argv = {kube_agent(site), "spread", std::to_string(step.shape.nodes)};
    if (step.shape.ranks_per_node > 1) {
      argv.insert(argv.end(), {"-r", std::to_string(step.shape.ranks_per_node)});
    }
    const auto passed = passed_on(step);
    argv.insert(argv.end(), passed.begin(), passed.end());
    argv.emplace_back("--");
  }
  argv.insert(argv.end(), step.command.argv.begin(), step.command.argv.end());
  return argv;
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

std::string kube_allocation_text(const AllocationRequest& request, const Site& site,
                                 const std::string& job) {
  std::vector<Step> steps = request.steps;
  AllocationFile file = allocation_of(request);
  for (Step& step : steps) {
    step.run_dir = kRunFolder + step.attempt;
    for (InputFile& input : step.program.staged) input.source.clear();  // pods share no folder
    const bool by_mpirun = step.starter.kind == StarterKind::mpirun;
    file.steps.push_back(step_spec(step, step_argv_in_pods(step, site, job),
                                   by_mpirun ? mpirun_variables(site.kubernetes) : wire::Pairs(),
                                   kMostKeptBytesInLog));
    file.steps.back().nodes = step.shape.nodes;
  }
  return allocation_text(file);
}

}  // namespace kneepoint
