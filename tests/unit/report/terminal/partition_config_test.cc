// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orchestrator/answers/study/size.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint {
namespace {

struct Example {
  Mix mix;
  SizingMix sizing;
  Cut cut;

  SizedCut sized() const {
    CutOutcome outcome;
    outcome.partitions.resize(cut.partitions.size());
    outcome.workloads.resize(sizing.workloads.size());
    for (std::size_t p = 0; p < cut.partitions.size(); ++p) {
      for (const int w : cut.partitions[p].workloads) {
        outcome.workloads[static_cast<std::size_t>(w)].partition = static_cast<int>(p);
      }
    }
    return sized_cut(mix, sizing, "recommended", cut, outcome);
  }
};

// 4 nodes of 8 GPUs: 2 for "Fast_jobs" at K=16, 1 shared, 1 left over.
Example example_cut() {
  Example e;
  e.mix.path = "m.yaml";
  e.mix.name = "m";
  e.mix.worker = WorkerUnit::gpu;
  e.mix.workers_per_node = 8;
  e.mix.node_prefix = "gpu";
  e.sizing.nodes = 4;
  const auto workload = [](const std::string& name, int k, int nodes, double seconds) {
    SizingWorkload one;
    one.name = name;
    one.options = {{k, nodes, seconds, {seconds}, name == "b", 1}};
    return one;
  };
  e.sizing.workloads = {workload("Fast_jobs", 16, 2, 5400), workload("a", 8, 1, 90),
                        workload("b", 4, 1, 100'000)};
  e.cut.options = {0, 0, 0};
  e.cut.partitions = {{{0}, 2}, {{1, 2}, 1}};
  return e;
}

TEST(PartitionConfig, SlurmLinesHoldNodesAndLimits) {
  const Example e = example_cut();
  EXPECT_EQ(slurm_config(e.mix, e.sizing.nodes, e.sized()),
            "# Mix m, cut by kneepoint: 3 of 4 nodes with 8 gpus each.\n"
            "# Put your own node names in. MaxTime is twice the expected time of the longest job.\n"
            "# Fast_jobs at K=16\n"
            "PartitionName=fast-jobs Nodes=gpu[1-2] MaxNodes=2 MaxTime=0-03:00:00 "
            "OverSubscribe=EXCLUSIVE State=UP\n"
            "# a at K=8, b at K=4 (modelled)\n"
            "PartitionName=a-b Nodes=gpu3 MaxNodes=1 MaxTime=2-07:34:00 "
            "OverSubscribe=EXCLUSIVE State=UP\n"
            "# In no partition: gpu4\n");
}

TEST(PartitionConfig, KubernetesHasAQuotaAndAQueueForEachPartition) {
  const Example e = example_cut();
  const auto text = kubernetes_config(e.mix, e.sizing.nodes, e.sized());
  ASSERT_TRUE(text);
  for (const char* line :
       {"kind: ResourceFlavor\n", "metadata: {name: fast-jobs, namespace: fast-jobs}\n",
        "  hard: {\"requests.nvidia.com/gpu\": \"16\"}\n", "kind: ClusterQueue\n",
        "  queueingStrategy: StrictFIFO\n",
        "          resources: [{name: \"nvidia.com/gpu\", nominalQuota: \"8\"}]\n",
        "spec: {clusterQueue: a-b}\n"}) {
    EXPECT_NE(text->find(line), std::string::npos) << line << *text;
  }
}

TEST(PartitionConfig, NodesNeedAResource) {
  Example e = example_cut();
  e.mix.worker = WorkerUnit::node;
  e.mix.workers_per_node = 1;
  const auto refused = kubernetes_config(e.mix, e.sizing.nodes, e.sized());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("kubernetes: {resource: cpu, per_worker: 64}"),
            std::string::npos);
  e.mix.resource = "cpu";
  e.mix.resource_per_worker = 64;
  const auto text = kubernetes_config(e.mix, e.sizing.nodes, e.sized());
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("\"requests.cpu\": \"128\""), std::string::npos) << *text;
}

TEST(PartitionConfig, NamesAreUniqueAndPlain) {
  Example e = example_cut();
  e.sizing.workloads[1].name = "FAST-jobs";
  e.sizing.workloads[2].name = std::string(64, 'x');
  e.cut.partitions = {{{0}, 2}, {{1}, 1}, {{2}, 1}};
  std::vector<std::string> names;
  for (const SizedPartition& part : e.sized().partitions) names.push_back(part.name);
  EXPECT_EQ(names, (std::vector<std::string>{"fast-jobs", "fast-jobs-2", std::string(50, 'x')}));
}

}  // namespace
}  // namespace kneepoint
