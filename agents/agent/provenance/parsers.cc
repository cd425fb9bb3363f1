// SPDX-License-Identifier: Apache-2.0
//
// Texts of /proc, /sys and /etc to facts. A text that lacks what is looked for gives "unknown" or
// nothing: a missing fact never fails a run.
#include <algorithm>
#include <map>
#include <set>

#include "agents/agent/pod/pod.h"
#include "agents/agent/provenance/provenance.h"
#include "agents/agent/text.h"

namespace kneepoint::agent {
namespace {

std::string_view trim(std::string_view text) {
  return trimmed(text, " \t\r\n\"");
}

// "name : value" or "NAME=value"; the first one.
std::string field(std::string_view text, std::string_view name, char separator) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == std::string_view::npos || trim(line.substr(0, at)) != name) continue;
    if (const std::string_view value = trim(line.substr(at + 1)); !value.empty()) {
      return std::string(value);
    }
  }
  return "";
}

}  // namespace

std::string fact(const Facts& facts, std::string_view name) {
  for (const auto& [key, value] : facts) {
    if (key == name) return value;
  }
  return "";
}

std::string parse_cpuinfo_field(std::string_view cpuinfo, std::string_view name) {
  return field(cpuinfo, name, ':');
}

std::string parse_cpu_model(std::string_view cpuinfo) {
  for (const char* name : {"model name", "Model", "cpu model", "cpu", "CPU implementer"}) {
    std::string model = field(cpuinfo, name, ':');
    if (!model.empty()) return model;
  }
  return "unknown";
}

CpuCounts parse_cpu_counts(std::string_view cpuinfo) {
  CpuCounts counts;
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  std::string socket = "0";
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trim(line.substr(0, colon));
    const std::string value(trim(line.substr(colon + 1)));
    if (name == "processor") ++counts.logical;
    if (name == "physical id") sockets.insert(socket = value);
    if (name == "core id") cores.emplace(socket, value);
  }
  counts.sockets = std::max<int>(1, static_cast<int>(sockets.size()));
  counts.cores = cores.empty() ? counts.logical : static_cast<int>(cores.size());
  return counts;
}

std::string parse_memory_bytes(std::string_view meminfo) {
  const std::string text = field(meminfo, "MemTotal", ':');
  const auto kib = leading_number<std::int64_t>(text);
  return kib ? std::to_string(*kib * 1024) : "unknown";
}

std::string parse_os_name(std::string_view os_release) {
  const std::string name = field(os_release, "PRETTY_NAME", '=');
  return name.empty() ? "unknown" : name;
}

std::string parse_first_line(std::string_view text) {
  return std::string(trim(text.substr(0, text.find('\n'))));
}

std::string parse_gpu_models(const std::vector<std::string>& information) {
  std::vector<std::string> models;  // each once, in the order of its first card
  std::map<std::string, int> cards;
  for (const auto& text : information) {
    std::string model = field(text, "Model", ':');
    if (model.empty()) model = "unknown";
    if (++cards[model] == 1) models.push_back(std::move(model));
  }
  for (std::string& model : models) model = std::to_string(cards[model]) + " x " + model;
  return models.empty() ? "none" : joined(models, ", ");
}

std::string parse_container(std::string_view proc_1_environ, bool docker_file, bool podman_file,
                            std::string_view proc_self_cgroup) {
  static constexpr std::string_view kVariable = "container=";
  for (const std::string_view entry : split(proc_1_environ, '\0')) {
    if (entry.starts_with(kVariable)) return std::string(entry.substr(kVariable.size()));
  }
  if (proc_self_cgroup.find("kubepods") != std::string_view::npos) return "kubernetes";
  if (podman_file) return "podman";
  if (docker_file || proc_self_cgroup.find("/docker") != std::string_view::npos) return "docker";
  if (proc_self_cgroup.find("/lxc") != std::string_view::npos) return "lxc";
  return "none";
}

Facts parse_caches(const std::vector<CacheText>& caches) {
  Facts facts;
  for (const CacheText& cache : caches) {
    if (cache.type == "Instruction" || (cache.level != "2" && cache.level != "3")) continue;
    const char unit = cache.size.empty() ? ' ' : cache.size.back();
    const auto size =
        whole_number<std::int64_t>(std::string_view(cache.size).substr(0, cache.size.size() - 1));
    if (!size || *size <= 0 || (unit != 'K' && unit != 'M')) continue;
    facts.emplace_back("cache.l" + cache.level + "_bytes",
                       std::to_string(*size * (unit == 'K' ? 1024 : 1024 * 1024)));
    const auto cpus = parse_cpu_list(cache.shared_cpu_list);
    if (cache.level == "3" && !cpus.empty()) {
      facts.emplace_back("cache.l3_cpus", std::to_string(cpus.size()));
    }
  }
  return facts;
}

std::string quote_command(const std::vector<std::string>& argv, std::size_t limit) {
  std::string text;
  for (const auto& argument : argv) {
    if (!text.empty()) text += ' ';
    const bool plain = !argument.empty() &&
                       argument.find_first_of(" \t\n'\"\\$`*?[]{}()<>|&;~#!") == std::string::npos;
    text += plain ? argument : shell_quoted(argument);
  }
  if (text.size() > limit) text = text.substr(0, limit) + "...";
  return text;
}

}  // namespace kneepoint::agent
