// SPDX-License-Identifier: Apache-2.0
//
// A cut as configuration: Slurm's partition lines, and quotas for Kubernetes with and without
// Kueue.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "orchestrator/answers/study/size.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint {
namespace {

constexpr double kTimeMargin = 2;  // a limit of so many times the expected time

std::string slurm_time(double seconds) {
  const auto minutes = static_cast<long>(std::ceil(seconds / 60));
  return fmt::format("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

std::string node_range(const Mix& mix, int first, int last) {
  if (first == last) return mix.node_prefix + std::to_string(first);
  return fmt::format("{}[{}-{}]", mix.node_prefix, first, last);
}

std::string header(const Mix& mix, int nodes, const SizedCut& cut) {
  return fmt::format(
      "# Mix {}, cut by kneepoint: {} of {} nodes{}.\n", mix.name, cut.nodes, nodes,
      mix.workers_per_node > 1
          ? fmt::format(" with {} {}s each", mix.workers_per_node, to_string(mix.worker))
          : "");
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
    text += fmt::format("{}{} at K={}{}", text.empty() ? "# " : ", ", one.name, one.k,
                        one.modelled ? " (modelled)" : "");
  }
  return text + "\n";
}

// {0}: the partition, {1}: the resource, {2}: how much of it, {3}: the queue's strategy.
constexpr char kQuotas[] = R"(apiVersion: v1
kind: ResourceQuota
metadata: {{name: {0}, namespace: {0}}}
spec:
  hard: {{"requests.{1}": "{2}"}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: {0}}}
spec:
  namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {0}}}}}
  queueingStrategy: {3}
  resourceGroups:
    - coveredResources: ["{1}"]
      flavors:
        - name: kneepoint
          resources: [{{name: "{1}", nominalQuota: "{2}"}}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {{name: {0}, namespace: {0}}}
spec: {{clusterQueue: {0}}}
)";

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
    text += fmt::format(
        "{}PartitionName={} Nodes={} MaxNodes={} MaxTime={} OverSubscribe=EXCLUSIVE State=UP\n",
        contents(workloads), part.name, node_range(mix, next, last), part.max_nodes_per_job,
        slurm_time(kTimeMargin * longest));
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
            fmt::format(kQuotas, part.name, resource, amount,
                        mix.backfill ? "BestEffortFIFO" : "StrictFIFO");
  }
  return text;
}

}  // namespace kneepoint
