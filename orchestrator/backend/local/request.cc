// SPDX-License-Identifier: Apache-2.0
//
// Rankfiles are named after their content: a study has a handful, however many runs it has.
#include "orchestrator/backend/local/request.h"

#include <algorithm>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

struct Rankfile {
  std::string path;  // "": none
  std::string text;
};

Rankfile rankfile_of(const AllocationRequest& request, const Step& step,
                     const std::vector<Core>& cores) {
  const auto wanted = static_cast<std::size_t>(step.shape.cpus());
  if (step.starter.kind == StarterKind::none || !wants_binding(step) || cores.size() < wanted) {
    return {};
  }
  Rankfile file;
  const auto end = cores.begin() + static_cast<std::ptrdiff_t>(wanted);
  file.text = rankfile_text(step.shape, std::vector<Core>(cores.begin(), end));
  file.path = request.directory + "/ranks-" + hex64(fnv1a64(file.text)) + ".txt";
  return file;
}

}  // namespace

std::string rankfile_text(const Shape& shape, const std::vector<Core>& cores) {
  const auto threads = static_cast<std::size_t>(shape.threads_per_rank);
  std::string text;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    const std::size_t first = static_cast<std::size_t>(rank) * threads;
    std::string slots;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      const bool mine = shape.bind == Bind::socket ? cores[i].socket == cores[first].socket
                                                   : i >= first && i < first + threads;
      if (mine) slots += (slots.empty() ? "" : ",") + std::to_string(cores[i].cpus.front());
    }
    text += "rank " + std::to_string(rank) + "=localhost slot=" + slots + "\n";
  }
  return text;
}

std::vector<std::string> step_argv(const Step& step, const std::string& rankfile) {
  if (step.starter.kind == StarterKind::none) return step.command.argv;
  std::vector<std::string> argv = {"mpirun", "-n", std::to_string(step.shape.ranks)};
  if (!rankfile.empty()) {
    argv.insert(argv.end(), {"--rankfile", rankfile, "--mca", "rmaps_rank_file_physical", "1"});
  } else if (!site_places_ranks(step.starter)) {
    argv.insert(argv.end(), {"--bind-to", "none"});
  }
  let_share_cores(step, argv);
  add_command(step, argv);
  return argv;
}

wire::Pairs mpirun_environment(const MpirunHost& host) {
  wire::Pairs variables = {
      {"OMPI_MCA_btl", "self,vader"},
      {"OMPI_MCA_plm", "isolated"},
      {"OMPI_MCA_pml", "ob1"},
      {"OMPI_MCA_ras", "^slurm,tm,lsf,gridengine,alps"},
  };
  if (!host.can_read_other_memory) {
    variables.emplace_back("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  }
  if (host.is_root) variables.insert(variables.end(), kRootVariables.begin(), kRootVariables.end());
  return variables;
}

int cores_wanted(const AllocationRequest& request) {
  int wanted = 0;
  for (const Step& step : request.steps) {
    if (wants_binding(step)) wanted = std::max(wanted, step.shape.cpus());
  }
  return wanted;
}

LocalRequest local_request(const AllocationRequest& request, const std::vector<Core>& cores,
                           const MpirunHost& host) {
  LocalRequest prepared;
  AllocationFile file = allocation_of(request);
  bool all_plain = !cores.empty();
  for (const Step& step : request.steps) {
    Rankfile ranks = rankfile_of(request, step, cores);
    const bool by_mpirun = step.starter.kind == StarterKind::mpirun;
    file.steps.push_back(step_spec(step, step_argv(step, ranks.path),
                                   by_mpirun ? mpirun_environment(host) : wire::Pairs()));
    if (!ranks.path.empty()) prepared.rankfiles.emplace_back(ranks.path, std::move(ranks.text));
    all_plain = all_plain && step.starter.kind == StarterKind::none && wants_binding(step);
  }
  for (const Core& core : cores) {
    file.cpus.push_back(core.cpus.front());
    if (!all_plain) continue;
    prepared.confine_to.insert(prepared.confine_to.end(), core.cpus.begin(), core.cpus.end());
  }
  prepared.allocation = allocation_text(file);
  return prepared;
}

std::string command_text(const AllocationRequest& request, const std::vector<Core>& cores) {
  std::string text;
  for (const Step& step : request.steps) {
    text += "# " + step.attempt + ": " + to_string(step.shape) + "\n";
    text += shell_quoted(step_argv(step, rankfile_of(request, step, cores).path)) + "\n";
  }
  return text;
}

}  // namespace kneepoint
