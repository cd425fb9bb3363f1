// SPDX-License-Identifier: Apache-2.0
//
// Changing a line of this text breaks every existing series: bump kVersion if it must be.
#include "orchestrator/plan/plan/matrix.h"

#include <algorithm>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/plan/site/sbatch_options.h"

namespace kneepoint {
namespace {

constexpr int kVersion = 1;

std::string list(const std::string& name, std::vector<std::string> values, bool sorted) {
  if (sorted) std::sort(values.begin(), values.end());
  std::string line = name;
  for (const std::string& value : values) line += " " + json_quote(value);
  return line + "\n";
}

std::string numbers(const std::string& name, std::vector<int> values) {
  std::sort(values.begin(), values.end());
  std::string line = name;
  for (const int value : values) line += " " + std::to_string(value);
  return line + "\n";
}

std::string environment(const std::string& name,
                        const std::vector<EnvironmentVariable>& variables) {
  std::vector<std::string> lines;
  for (const auto& variable : variables) lines.push_back(variable.name + "=" + variable.value);
  return list(name, std::move(lines), true);
}

std::string size(const char* mode, const SizeSpec& spec) {
  return std::string(" size ") + mode + " " + json_quote(spec.formula) + " " +
         std::to_string(static_cast<int>(spec.rounding)) + " " + std::to_string(spec.multiple_of) +
         "\n";
}

// Every parameter with its values, catalog defaults included.
std::string parameters(const WorkloadSpec& workload) {
  std::vector<std::string> lines;
  const auto given = [&](const std::string& name) {
    return std::any_of(workload.parameters.begin(), workload.parameters.end(),
                       [&](const ParameterList& one) { return one.name == name; });
  };
  for (const ParameterList& one : workload.parameters) {
    lines.push_back(list(" parameter " + json_quote(one.name), one.values, true));
  }
  if (workload.catalog) {
    for (const Parameter& one : workload.catalog->parameters) {
      if (!given(one.name)) {
        lines.push_back(list(" parameter " + json_quote(one.name), {one.value}, true));
      }
    }
  }
  for (const auto& pattern : workload.exclude) {
    std::vector<std::string> words;
    for (const Parameter& one : pattern) words.push_back(one.name + "=" + one.value);
    lines.push_back(list(" exclude", std::move(words), true));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string number_or_nothing(const std::optional<double>& value) {
  return value ? json_number(*value) : "";
}

std::string rule_text(const SanityRule& rule) {
  std::string codes;
  for (const int code : rule.exit_codes) codes += (codes.empty() ? "" : ",") + std::to_string(code);
  return list(
      " sanity",
      {std::to_string(static_cast<int>(rule.kind)), rule.pattern, rule.from, rule.file, codes,
       rule.metric, number_or_nothing(rule.at_least), number_or_nothing(rule.at_most),
       number_or_nothing(rule.equals), json_number(rule.tolerance), rule.relative ? "share" : ""},
      false);
}

// Which runs count, and what they read: not what is kept of them.
std::string program_text(const ProgramSpec& program) {
  std::vector<std::string> lines;
  for (const SanityRule& rule : program.sanity) lines.push_back(rule_text(rule));
  for (const InputFile& file : program.staged) {
    lines.push_back(
        list(" input", {file.name, file.sha256, file.executable ? "program" : ""}, false));
  }
  std::sort(lines.begin(), lines.end());
  std::string text = program.own_folder ? " own folder\n" : "";
  for (const std::string& line : lines) text += line;
  return text;
}

std::string workload_text(const WorkloadSpec& workload, const std::vector<Mode>& modes) {
  std::string text = list("workload", {workload.build, workload.name, workload.use}, false);
  text += list(" command", workload.command, false);
  text += std::string(" mpi ") + (workload.mpi ? "true" : "false") + "\n";
  // Only when there is one: series of before go on.
  if (workload.profile != "none") text += list(" profile", {workload.profile}, false);
  text += parameters(workload);
  for (const Mode mode : {Mode::strong, Mode::weak}) {
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) continue;
    const bool strong = mode == Mode::strong;
    text += size(to_string(mode), strong ? workload.size_strong : workload.size_weak);
    text += list(std::string(" model ") + to_string(mode),
                 {strong ? workload.model_strong : workload.model_weak}, false);
  }
  text += environment(" environment", workload.environment);
  std::vector<std::string> metrics;
  for (const MetricSpec& one : workload.metrics) {
    std::vector<std::string> words = {one.name, one.pattern, one.unit, one.from};
    // What came later is written only if it is used: it must not change the hash of older plans.
    if (!one.file.empty() || !one.json.empty()) {
      words.insert(words.end(), {one.file, one.json});
    }
    if (!one.better.empty() && one.name != "time") words.push_back("better " + one.better);
    metrics.push_back(list(" metric", std::move(words), false));
  }
  std::sort(metrics.begin(), metrics.end());
  for (const std::string& line : metrics) text += line;
  return text + program_text(workload.program);
}

std::string pairs(const std::string& name,
                  const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : values) lines.push_back(key + "=" + value);
  return list(name, std::move(lines), true);
}

// What a pod is and gets. Whose quota it is (namespace, account, priority) changes no time.
std::string kubernetes_text(const KubernetesSite& site) {
  std::string text =
      list("kubernetes",
           {site.image, site.cpu, site.memory, site.gpu_resource, site.shm, site.queue,
            site.mpi_job ? "MPIJob" : "Job", site.one_pod_per_node ? "apart" : "anywhere",
            site.host_network ? "host network" : "pod network"},
           false);
  text += pairs("kubernetes resources", site.resources);
  text += pairs("kubernetes node_selector", site.node_selector);
  text += list("kubernetes pod",
               {site.tolerations, site.affinity, site.topology_spread, site.pod_patch}, false);
  for (const KubeVolume& one : site.volumes) {
    text +=
        list("kubernetes volume",
             {one.name, one.mount, one.sub_path, one.read_only ? "ro" : "rw", one.source}, false);
  }
  return text;
}

}  // namespace

std::string identity_text(const Plan& plan, const Site& site) {
  std::string text = "identity " + std::to_string(kVersion) + "\n";
  text += std::string("worker ") + to_string(plan.worker) + "\n";
  text += numbers("ranks_per_node", plan.shape.ranks_per_node);
  text += numbers("threads_per_rank", plan.shape.threads_per_rank);
  text += "gpus_per_node " + std::to_string(plan.shape.gpus_per_node) + "\n";
  text += std::string("bind ") + to_string(plan.shape.bind) + "\n";
  const Iterations& iterations = plan.iterations;
  text += "iterations " + std::to_string(iterations.warmup) + " " +
          (iterations.min_time > 0 ? "ns " + std::to_string(iterations.min_time)
                                   : "count " + std::to_string(iterations.count)) +
          "\n";
  text += environment("environment", plan.environment);
  std::vector<std::string> workloads;
  for (const WorkloadSpec& one : plan.workloads) {
    workloads.push_back(workload_text(one, plan.modes));
  }
  std::sort(workloads.begin(), workloads.end());
  for (const std::string& one : workloads) text += one;
  // Only of a study with --ab: label, place and content, the reference first. Another binary makes
  // another study, so that no study can hold runs of both.
  for (const Build& build : plan.builds) {
    text +=
        list("build", {build.label, build.workload, to_string(build.kind), build.place, build.hash},
             false);
  }
  if (!plan.confirms.empty()) text += list("confirms", {plan.confirms}, false);
  text += std::string("backend ") + to_string(site.backend) + "\n";
  text += std::string("starter ") + to_string(site.starter) + "\n";
  text += list("starter options", site.starter_options, false);
  if (site.backend == BackendKind::slurm) {
    const SlurmSite& slurm = site.slurm;
    text += list("slurm",
                 {site.starter_mpi, slurm.partition, slurm.constraint, slurm.gpu_type,
                  slurm.exclusive ? "exclusive" : "shared"},
                 false);
    text += list("slurm options", measured_sbatch_options(slurm.options), false);
    text += list("slurm modules", slurm.modules, false);
    text += list("slurm prologue", slurm.prologue, false);
  }
  if (site.backend == BackendKind::kubernetes) text += kubernetes_text(site.kubernetes);
  text += list("programs", {site.programs}, false);
  std::vector<EnvironmentVariable> variables;
  for (const auto& [name, value] : site.environment) variables.push_back({name, value});
  text += environment("site environment", variables);
  return text;
}

std::string series_hash(const Plan& plan, const Site& site) {
  return sha256_hex(identity_text(plan, site)).substr(0, 8);
}

}  // namespace kneepoint
