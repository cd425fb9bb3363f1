// SPDX-License-Identifier: Apache-2.0
//
// A cut as configuration: Slurm's partition lines, and quotas for Kubernetes with and without
// Kueue.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "orchestrator/answers/study/size.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint {
namespace {

constexpr double kTimeMargin = 2;  // a limit of so many times the expected time

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

std::string header(const Mix& mix, int nodes, const SizedCut& cut) {
  std::string text = "# Mix " + mix.name + ", cut by kneepoint: " + std::to_string(cut.nodes) +
                     " of " + std::to_string(nodes) + " nodes";
  if (mix.workers_per_node > 1) {
    text +=
        " with " + std::to_string(mix.workers_per_node) + " " + to_string(mix.worker) + "s each";
  }
  return text + ".\n";
}

std::vector<SizedWorkload> workloads_in(const SizedCut& cut, std::size_t partition) {
  std::vector<SizedWorkload> out;
  for (const SizedWorkload& one : cut.workloads) {
    if (static_cast<std::size_t>(one.partition) == partition) out.push_back(one);
  }
  return out;
}

// "# retraining at K=64, other at K=8 (modelled)"
std::string contents(const std::vector<SizedWorkload>& workloads) {
  std::string text;
  for (const SizedWorkload& one : workloads) {
    text += (text.empty() ? "# " : ", ") + one.name + " at K=" + std::to_string(one.k) +
            (one.modelled ? " (modelled)" : "");
  }
  return text + "\n";
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

std::string slurm_config(const Mix& mix, int nodes, const SizedCut& cut) {
  std::string text = header(mix, nodes, cut);
  text += "# Put your own node names in. MaxTime is twice the expected time of the longest job.\n";
  int next = 1;
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const SizedPartition& part = cut.partitions[p];
    const std::vector<SizedWorkload> workloads = workloads_in(cut, p);
    double longest = 0;
    for (const SizedWorkload& one : workloads) longest = std::max(longest, one.seconds);
    const int last = next + part.nodes - 1;
    text += contents(workloads) + "PartitionName=" + part.name +
            " Nodes=" + node_range(mix, next, last) +
            " MaxNodes=" + std::to_string(part.max_nodes_per_job) +
            " MaxTime=" + slurm_time(kTimeMargin * longest) + " OverSubscribe=EXCLUSIVE State=UP\n";
    next = last + 1;
  }
  if (next <= nodes) text += "# In no partition: " + node_range(mix, next, nodes) + "\n";
  return text;
}

Result<std::string> kubernetes_config(const Mix& mix, int nodes, const SizedCut& cut) {
  std::string resource = mix.resource;
  if (resource.empty() && mix.worker == WorkerUnit::gpu) resource = "nvidia.com/gpu";
  if (resource.empty() && mix.worker == WorkerUnit::rank) resource = "cpu";
  if (resource.empty()) {
    return Error{ErrorCode::invalid, mix.path +
                                         ": --kubernetes needs to know what a node is there: add "
                                         "`kubernetes: {resource: cpu, per_worker: 64}`"};
  }
  std::string text = header(mix, nodes, cut);
  text +=
      "# A namespace and a queue for each partition; make the namespaces first. Kueue must cover\n"
      "# whatever else your pods request (memory, say). It has no limit for a single job.\n"
      "apiVersion: kueue.x-k8s.io/v1beta1\n"
      "kind: ResourceFlavor\n"
      "metadata: {name: kneepoint}\n";
  for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
    const SizedPartition& part = cut.partitions[p];
    const long amount = static_cast<long>(part.workers) * mix.resource_per_worker;
    text += "---\n" + contents(workloads_in(cut, p)) +
            quota_texts(part.name, resource, amount, mix.backfill);
  }
  return text;
}

}  // namespace kneepoint
