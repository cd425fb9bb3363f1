// SPDX-License-Identifier: Apache-2.0
//
#include "orchestrator/plan/site/sbatch_options.h"

#include <algorithm>
#include <string_view>

namespace kneepoint {
namespace {

// `refused`: what to say; nullptr: allowed, and changes no time.
struct SbatchOption {
  std::string_view name;
  char letter;  // 0: none
  const char* refused;
};

constexpr const char* kSetByUs = "is set by kneepoint for each job";
constexpr const char* kByPlan = "is set by kneepoint from the plan's `scale` and `shape`";
constexpr const char* kOneJob = "makes other jobs of one submission; see `packing`";
constexpr const char* kItsOutput = "is set by kneepoint, which reads the job's output there";

constexpr SbatchOption kSbatchOptions[] = {
    {"array", 'a', kOneJob},
    {"chdir", 'D', kSetByUs},
    {"cpus-per-task", 'c', kByPlan},
    {"dependency", 'd', "holds jobs back behind others; kneepoint decides the order of its runs"},
    {"error", 'e', kItsOutput},
    {"job-name", 'J', "is set by kneepoint, which finds its jobs by their names"},
    {"nodes", 'N', kByPlan},
    {"ntasks", 'n', kByPlan},
    {"ntasks-per-node", 0, kByPlan},
    {"open-mode", 0, kItsOutput},
    {"output", 'o', kItsOutput},
    {"parsable", 0, kSetByUs},
    {"requeue", 0, "would run an attempt twice; `limits.retries` of the plan tries again"},
    {"test-only", 0, "submits nothing; `kneepoint check --site` asks that"},
    {"time", 't', "is set by kneepoint: `limits.timeout` of the plan plus `slurm.time_margin`"},
    {"wait", 'W', "would hold kneepoint until each job has ended"},
    {"wrap", 0, "replaces the agent, which kneepoint hands over as the script"},
    {"comment", 0, nullptr},
    {"mail-type", 0, nullptr},
    {"mail-user", 0, nullptr},
    {"nice", 0, nullptr},
    {"priority", 0, nullptr},
    {"wckey", 0, nullptr},
};

// sbatch takes a unique beginning of a long option too ("--dep"), and "-Jname" of a short one.
const SbatchOption* known_option(std::string_view option) {
  if (!option.starts_with("--")) {
    const auto* row = std::find_if(
        std::begin(kSbatchOptions), std::end(kSbatchOptions), [&](const SbatchOption& one) {
          return option.size() > 1 && one.letter != 0 && one.letter == option[1];
        });
    return row == std::end(kSbatchOptions) ? nullptr : row;
  }
  const std::string_view name = option.substr(2, option.find('=') - 2);
  const SbatchOption* longer = nullptr;
  for (const SbatchOption& row : kSbatchOptions) {
    if (row.name == name) return &row;
    if (name.size() > 2 && row.name.starts_with(name)) longer = &row;
  }
  return longer;
}

}  // namespace

std::string refused_sbatch_option(const std::string& option) {
  const SbatchOption* row = known_option(option);
  return row == nullptr || row->refused == nullptr ? "" : row->refused;
}

std::vector<std::string> measured_sbatch_options(const std::vector<std::string>& options) {
  std::vector<std::string> measured;
  for (const std::string& option : options) {
    if (known_option(option) == nullptr) measured.push_back(option);
  }
  return measured;
}

}  // namespace kneepoint
