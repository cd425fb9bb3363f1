// SPDX-License-Identifier: Apache-2.0
//
// What mpirun is told, and why, is measured in decision 0007.
#include "orchestrator/backend/mpirun_command.h"

#include <algorithm>
#include <string_view>

namespace kneepoint {
namespace {

// A site that places the ranks by its own options is left to it.
bool places_ranks(const std::string& option) {
  std::string_view name = option;
  while (!name.empty() && name.front() == '-') name.remove_prefix(1);
  if (name.size() == option.size()) return false;  // a value, not an option
  name = name.substr(0, name.find('='));
  constexpr std::string_view kPlacing[] = {"bind-to", "map-by",   "rank-by", "rankfile",
                                           "rf",      "cpu-list", "cpu-set", "bind-to-core"};
  return std::find(std::begin(kPlacing), std::end(kPlacing), name) != std::end(kPlacing);
}

void let_share_cores(const Step& step, std::vector<std::string>& argv) {
  if (!step.emulated && !step.oversubscribed) return;
  argv.insert(argv.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
}

}  // namespace

const std::vector<std::pair<std::string, std::string>> kRootVariables = {
    {"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};

bool site_places_ranks(const Starter& starter) {
  return std::any_of(starter.options.begin(), starter.options.end(), places_ranks);
}

bool wants_binding(const Step& step) {
  return step.shape.bind != Bind::none && !step.emulated && !step.oversubscribed &&
         !site_places_ranks(step.starter);
}

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

void add_layout(const Step& step, std::vector<std::string>& argv) {
  const Shape& shape = step.shape;
  if (!site_places_ranks(step.starter)) {
    const bool binds = wants_binding(step);
    std::string map = "ppr:" + std::to_string(shape.ranks_per_node) + ":node";
    if (binds) map += ":PE=" + std::to_string(shape.threads_per_rank);
    argv.insert(argv.end(), {"--map-by", map, "--bind-to",
                             !binds                       ? "none"
                             : shape.bind == Bind::socket ? "socket"
                                                          : "core"});
  }
  let_share_cores(step, argv);
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
  argv.insert(argv.end(), step.starter.options.begin(), step.starter.options.end());
  argv.insert(argv.end(), step.command.argv.begin(), step.command.argv.end());
  return argv;
}

std::vector<std::pair<std::string, std::string>> mpirun_environment(const MpirunHost& host) {
  std::vector<std::pair<std::string, std::string>> variables = {
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

}  // namespace kneepoint
