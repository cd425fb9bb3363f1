// SPDX-License-Identifier: Apache-2.0
//
// Every number is said outright: since 22.05 srun no longer takes the CPUs of a task from its job,
// and what is said wins over whatever variables a site's prologue sets.
#include "orchestrator/backend/slurm/text.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/backend/allocation_files.h"

namespace kneepoint {
namespace {

std::vector<std::string> srun_argv(const Step& step, const Site& site) {
  const Shape& shape = step.shape;
  std::vector<std::string> argv = {"srun",
                                   "--nodes=" + std::to_string(shape.nodes),
                                   "--ntasks=" + std::to_string(shape.ranks),
                                   "--ntasks-per-node=" + std::to_string(shape.ranks_per_node),
                                   "--cpus-per-task=" + std::to_string(shape.threads_per_rank),
                                   "--kill-on-bad-exit=1"};
  if (!site.starter_mpi.empty()) argv.push_back("--mpi=" + site.starter_mpi);
  if (shape.gpus_per_node > 0) {
    argv.push_back(gpu_argument(site.slurm, std::to_string(shape.gpus_per_node)));
  }
  if (step.emulated || step.oversubscribed) argv.emplace_back("--overcommit");
  const bool site_binds = std::any_of(
      step.starter.options.begin(), step.starter.options.end(), [](const std::string& option) {
        return option.starts_with("--cpu-bind") || option.starts_with("--distribution");
      });
  if (!site_binds) {
    const bool binds = wants_binding(step);
    argv.emplace_back(!binds                       ? "--cpu-bind=none"
                      : shape.bind == Bind::socket ? "--cpu-bind=sockets"
                                                   : "--cpu-bind=cores");
  }
  return argv;
}

std::vector<std::string> mpirun_argv(const Step& step) {
  std::vector<std::string> argv = {"mpirun", "-n", std::to_string(step.shape.ranks)};
  add_layout(step, argv);
  return argv;
}

// Of an allocation that other steps use too, the agent tells the starter which nodes to take: it
// knows their names, and keeps the sets nested. A site whose options choose nodes is left to it.
std::string placed_by(const Step& step, const Site& site) {
  if (site.packing.mode != PackingMode::packed || step.starter.kind == StarterKind::none) return "";
  constexpr std::string_view kChoosing[] = {"--nodelist",   "-w",
                                            "--relative",   "-r",
                                            "--exclude",    "-x",
                                            "--nodefile",   "-F",
                                            "--host",       "-host",
                                            "-H",           "--hostfile",
                                            "-hostfile",    "--machinefile",
                                            "-machinefile", "--default-hostfile"};
  for (const std::string& option : step.starter.options) {
    const std::string_view name = std::string_view(option).substr(0, option.find('='));
    if (std::find(std::begin(kChoosing), std::end(kChoosing), name) != std::end(kChoosing)) {
      return "";
    }
  }
  return step.starter.kind == StarterKind::srun ? "srun" : "mpirun";
}

}  // namespace

std::vector<std::string> slurm_step_argv(const Step& step, const Site& site) {
  if (step.starter.kind == StarterKind::none) return step.command.argv;
  auto argv = step.starter.kind == StarterKind::srun ? srun_argv(step, site) : mpirun_argv(step);
  add_command(step, argv);
  return argv;
}

std::string slurm_allocation_text(const AllocationRequest& request, const Site& site,
                                  bool is_root) {
  AllocationFile file = allocation_of(request);
  for (const Step& step : request.steps) {
    std::vector<std::string> argv = slurm_step_argv(step, site);
    // mpirun counts slots by the tasks of the whole allocation, which may be fewer and wider than
    // this step's ranks; the cores are there. It must not take that for a crowd that has to yield.
    if (step.starter.kind == StarterKind::mpirun && !step.emulated && !step.oversubscribed &&
        step.shape.ranks_per_node > request.shape.ranks_per_node) {
      constexpr const char* kMore[] = {"--oversubscribe", "--mca", "mpi_yield_when_idle", "0"};
      argv.insert(argv.begin() + 1, std::begin(kMore), std::end(kMore));
    }
    const bool needs_leave = is_root && step.starter.kind == StarterKind::mpirun;
    StepSpec& spec = file.steps.emplace_back(
        step_spec(step, std::move(argv), needs_leave ? kRootVariables : wire::Pairs()));
    spec.nodes = step.shape.nodes;
    spec.place = placed_by(step, site);
  }
  return allocation_text(file);
}

SlurmSubmission slurm_submission(const AllocationRequest& request, const Site& site,
                                 const std::string& agent_path) {
  SlurmSubmission job;
  job.name = request.name;
  job.directory = request.directory;
  job.script =
      batch_script(site.slurm, agent_path, allocation_path(request.directory, request.name));
  job.script_path = request.directory + "/" + request.name + ".sh";
  job.output_path = slurm_output_path(request.directory, request.name);
  job.nodes = request.shape.nodes;
  job.tasks = request.shape.ranks;
  job.tasks_per_node = request.shape.ranks_per_node;
  job.cpus_per_task = request.shape.threads_per_rank;
  job.gpus_per_node = request.shape.gpus_per_node;
  job.overcommit = std::any_of(request.steps.begin(), request.steps.end(), [](const Step& step) {
    return step.emulated || step.oversubscribed;
  });
  // The agent keeps each step's limit; the job's own is the net below it.
  Nanoseconds steps = 0;
  for (const Step& step : request.steps) steps += step.limit;
  job.limit = std::max(request.limit, steps) + site.slurm.time_margin;
  return job;
}

std::string slurm_output_path(const std::string& directory, const std::string& name) {
  return directory + "/" + name + ".out";
}

}  // namespace kneepoint
