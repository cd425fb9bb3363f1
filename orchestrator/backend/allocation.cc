// SPDX-License-Identifier: Apache-2.0
//
// A program's files travel as links where the site shares its folders, else with their content.
// What mpirun is told, and why, is measured in decision 0007.
#include "orchestrator/backend/allocation.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

namespace kneepoint {
namespace {

InputSpec input_spec(const InputFile& file) {
  InputSpec input;
  input.name = file.name;
  input.from = file.source;
  if (!file.source.empty()) return input;
  input.content = file.content ? *file.content : "";
  input.executable = file.executable;
  return input;
}

bool places_ranks(const std::string& option) {
  std::string_view name = option;
  while (!name.empty() && name.front() == '-') name.remove_prefix(1);
  if (name.size() == option.size()) return false;  // a value, not an option
  name = name.substr(0, name.find('='));
  constexpr std::string_view kPlacing[] = {"bind-to", "map-by",   "rank-by", "rankfile",
                                           "rf",      "cpu-list", "cpu-set", "bind-to-core"};
  return std::find(std::begin(kPlacing), std::end(kPlacing), name) != std::end(kPlacing);
}

}  // namespace

const wire::Pairs kRootVariables = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};

AllocationFile allocation_of(const AllocationRequest& request) {
  AllocationFile file;
  file.name = request.name;
  if (!request.push.url.empty()) file.push = request.push;
  return file;
}

StepSpec step_spec(const Step& step, std::vector<std::string> argv, const wire::Pairs& starters,
                   std::int64_t keep_bytes) {
  StepSpec spec;
  spec.attempt = step.attempt;
  spec.run_dir = step.run_dir;
  spec.argv = std::move(argv);
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : starters) variables[name] = value;
  for (const EnvironmentVariable& one : step.command.environment) variables[one.name] = one.value;
  spec.env.assign(variables.begin(), variables.end());
  spec.limit_ns = step.limit;
  spec.own_harness = step.own_harness;
  spec.ranks = step.shape.ranks;
  spec.threads_per_rank = step.shape.threads_per_rank;
  spec.bind = to_string(step.shape.bind);
  spec.emulated = step.emulated;
  spec.oversubscribed = step.oversubscribed;
  if (!step.command.argv.empty()) spec.program = step.command.argv[0];
  spec.measure_machine = step.measure_machine;
  if (step.profile != "none") spec.profile = step.profile;
  spec.metrics = step.metrics;
  spec.sanity = step.program.sanity;
  spec.own_folder = step.program.own_folder;
  for (const InputFile& file : step.program.staged) spec.inputs.push_back(input_spec(file));
  spec.keep = step.program.keep;
  if (!spec.keep.empty()) spec.keep_bytes = keep_bytes;
  spec.noise_sample_ns = step.noise_sample;
  return spec;
}

bool site_places_ranks(const Starter& starter) {
  return std::any_of(starter.options.begin(), starter.options.end(), places_ranks);
}

bool wants_binding(const Step& step) {
  return step.shape.bind != Bind::none && !step.emulated && !step.oversubscribed &&
         !site_places_ranks(step.starter);
}

void let_share_cores(const Step& step, std::vector<std::string>& argv) {
  if (!step.emulated && !step.oversubscribed) return;
  argv.insert(argv.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
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

void add_command(const Step& step, std::vector<std::string>& argv) {
  for (const auto* words : {&step.starter.options, &step.command.argv}) {
    argv.insert(argv.end(), words->begin(), words->end());
  }
}

std::string shell_quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=./,:@%^").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shell_quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

}  // namespace kneepoint
