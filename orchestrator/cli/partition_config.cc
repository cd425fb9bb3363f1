// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/partition_config.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>

namespace kneepoint::cli {
namespace {

constexpr std::size_t kLongestName = 50;
constexpr double kTimeMargin = 2;  // a limit of so many times the expected time

const SizingOption& option_of(const SizingMix& sizing, const Cut& cut, int workload) {
  const auto w = static_cast<std::size_t>(workload);
  return sizing.workloads[w].options[static_cast<std::size_t>(cut.options[w])];
}

std::string slurm_time(double seconds) {
  const auto minutes = static_cast<long>(std::ceil(seconds / 60));
  char text[48];
  std::snprintf(text, sizeof text, "%ld-%02ld:%02ld:00", minutes / 1440, minutes / 60 % 24,
                minutes % 60);
  return text;
}

std::string node_range(const Mix& mix, int first, int last) {
  if (first == last) return mix.node_prefix + std::to_string(first);
  return mix.node_prefix + "[" + std::to_string(first) + "-" + std::to_string(last) + "]";
}

std::string header(const Mix& mix, const SizingMix& sizing, const Cut& cut) {
  std::string text = "# Mix " + mix.name + ", cut by kneepoint: " + std::to_string(cut.nodes()) +
                     " of " + std::to_string(sizing.nodes) + " nodes";
  if (mix.workers_per_node > 1) {
    text +=
        " with " + std::to_string(mix.workers_per_node) + " " + to_string(mix.worker) + "s each";
  }
  return text + ".\n";
}

// "retraining at K=64, other at K=8 (modelled)"
std::string contents(const SizingMix& sizing, const Cut& cut, const Cut::Partition& part) {
  std::string text;
  for (const int w : part.workloads) {
    const SizingOption& option = option_of(sizing, cut, w);
    text += (text.empty() ? "" : ", ") + sizing.workloads[static_cast<std::size_t>(w)].name +
            " at K=" + std::to_string(option.k) + (option.modelled ? " (modelled)" : "");
  }
  return text;
}

std::string quota_texts(const std::string& name, const std::string& resource, long amount,
                        bool backfill) {
  const std::string quantity = std::to_string(amount);
  return "apiVersion: v1\n"
         "kind: ResourceQuota\n"
         "metadata: {name: " +
         name + ", namespace: " + name +
         "}\n"
         "spec:\n"
         "  hard: {\"requests." +
         resource + "\": \"" + quantity +
         "\"}\n"
         "---\n"
         "apiVersion: kueue.x-k8s.io/v1beta1\n"
         "kind: ClusterQueue\n"
         "metadata: {name: " +
         name +
         "}\n"
         "spec:\n"
         "  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: " +
         name +
         "}}\n"
         "  queueingStrategy: " +
         (backfill ? "BestEffortFIFO" : "StrictFIFO") +
         "\n"
         "  resourceGroups:\n"
         "    - coveredResources: [\"" +
         resource +
         "\"]\n"
         "      flavors:\n"
         "        - name: kneepoint\n"
         "          resources: [{name: \"" +
         resource + "\", nominalQuota: \"" + quantity +
         "\"}]\n"
         "---\n"
         "apiVersion: kueue.x-k8s.io/v1beta1\n"
         "kind: LocalQueue\n"
         "metadata: {name: " +
         name + ", namespace: " + name +
         "}\n"
         "spec: {clusterQueue: " +
         name + "}\n";
}

}  // namespace

std::vector<std::string> partition_names(const SizingMix& sizing, const Cut& cut) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Cut::Partition& part : cut.partitions) {
    std::string name;
    for (const int w : part.workloads) {
      name += (name.empty() ? "" : "-") + sizing.workloads[static_cast<std::size_t>(w)].name;
    }
    for (char& c : name) {
      const auto byte = static_cast<unsigned char>(c);
      c = std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
    }
    name = name.substr(0, kLongestName);
    while (!name.empty() && name.back() == '-') name.pop_back();
    while (!name.empty() && name.front() == '-') name.erase(name.begin());
    if (name.empty()) name = "partition";
    if (name == "default") name = "default-jobs";  // Slurm takes DEFAULT for no partition
    std::string unique = name;
    for (int n = 2; !taken.insert(unique).second; ++n) unique = name + "-" + std::to_string(n);
    names.push_back(unique);
  }
  return names;
}

std::string slurm_config(const Mix& mix, const SizingMix& sizing, const Cut& cut) {
  std::string text = header(mix, sizing, cut);
  text += "# Put your own node names in. MaxTime is twice the expected time of the longest job.\n";
  const std::vector<std::string> names = partition_names(sizing, cut);
  int next = 1;
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const Cut::Partition& part = cut.partitions[p];
    int largest = 1;
    double longest = 0;
    for (const int w : part.workloads) {
      largest = std::max(largest, option_of(sizing, cut, w).nodes);
      longest = std::max(longest, option_of(sizing, cut, w).seconds);
    }
    const int last = next + part.nodes - 1;
    text += "# " + contents(sizing, cut, part) + "\n";
    text += "PartitionName=" + names[p] + " Nodes=" + node_range(mix, next, last) +
            " MaxNodes=" + std::to_string(largest) +
            " MaxTime=" + slurm_time(kTimeMargin * longest) + " OverSubscribe=EXCLUSIVE State=UP\n";
    next = last + 1;
  }
  if (next <= sizing.nodes) {
    text += "# In no partition: " + node_range(mix, next, sizing.nodes) + "\n";
  }
  return text;
}

Result<std::string> kubernetes_config(const Mix& mix, const SizingMix& sizing, const Cut& cut) {
  std::string resource = mix.resource;
  if (resource.empty() && mix.worker == WorkerUnit::gpu) resource = "nvidia.com/gpu";
  if (resource.empty() && mix.worker == WorkerUnit::rank) resource = "cpu";
  if (resource.empty()) {
    return Error{ErrorCode::invalid, mix.path +
                                         ": --kubernetes needs to know what a node is there: add "
                                         "`kubernetes: {resource: cpu, per_worker: 64}`"};
  }
  std::string text = header(mix, sizing, cut);
  text +=
      "# A namespace and a queue for each partition; make the namespaces first. Kueue must cover\n"
      "# whatever else your pods request (memory, say). It has no limit for a single job.\n"
      "apiVersion: kueue.x-k8s.io/v1beta1\n"
      "kind: ResourceFlavor\n"
      "metadata: {name: kneepoint}\n";
  const std::vector<std::string> names = partition_names(sizing, cut);
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const Cut::Partition& part = cut.partitions[p];
    const long amount =
        static_cast<long>(part.nodes) * mix.workers_per_node * mix.resource_per_worker;
    text += "---\n# " + contents(sizing, cut, part) + "\n";
    text += quota_texts(names[p], resource, amount, mix.backfill);
  }
  return text;
}

}  // namespace kneepoint::cli
