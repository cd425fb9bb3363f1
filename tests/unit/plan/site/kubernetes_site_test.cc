// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/plan/parts.h"

#include <nlohmann/json.hpp>

#include "orchestrator/plan/plan/matrix.h"
#include "orchestrator/plan/yaml/yaml.h"
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

using Json = nlohmann::json;

Site site_of(const std::string& lines) {
  SiteRead read =
      read_site("backend: kubernetes\nkubernetes:\n  image: perf:1\n" + lines, "s.yaml");
  EXPECT_EQ(to_string(read.problems), "");
  return std::move(read.site);
}

TEST(KubernetesSite, HasItsDefaultsWhenOnlyTheImageIsGiven) {
  const Site site = site_of("");
  EXPECT_EQ(site.backend, BackendKind::kubernetes);
  EXPECT_EQ(site.starter, StarterKind::mpirun);
  EXPECT_EQ(site.kubernetes.image, "perf:1");
  EXPECT_EQ(site.kubernetes.image_pull_policy, "IfNotPresent");
  EXPECT_TRUE(site.kubernetes.one_pod_per_node);
  EXPECT_TRUE(site.kubernetes.read_only_root);
  EXPECT_EQ(site.kubernetes.run_as_user, 65532);
  EXPECT_EQ(site.kubernetes.pending_limit, 30 * kMinute);
}

TEST(KubernetesSite, EveryKeyIsRead) {
  const KubernetesSite site = site_of(R"(  kubeconfig: ~/.kube/lab
  context: lab/admin@x
  namespace: perf
  image_pull_policy: Always
  image_pull_secrets: [registry, other.registry]
  service_account: runner
  cpu: 500m
  memory: 1.5Gi
  gpu_resource: amd.com/gpu
  resources: {rdma/hca: 1, hugepages-2Mi: 64Mi}
  node_selector: {pool: hpc, ssd: true}
  tolerations: [{key: hpc, operator: Exists, tolerationSeconds: 30}]
  affinity: {nodeAffinity: {}}
  topology_spread: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]
  labels: {team: perf}
  annotations: {note: "two words"}
  volumes: [{name: data, mount: /data, sub_path: a, read_only: true, source: {nfs: {server: n, path: /x}}}]
  priority_class: high
  shm: 8Gi
  queue: fast
  mpi_job: true
  one_pod_per_node: false
  host_network: true
  read_only_root: false
  run_as_user: 0
  pending_limit: 5m
  keep: 1h
  pod: {schedulerName: volcano, containers: [{name: agent, env: [{name: A, value: "1"}]}]}
)")
                                  .kubernetes;
  EXPECT_EQ(site.kubeconfig, "~/.kube/lab");
  EXPECT_EQ(site.context, "lab/admin@x");
  EXPECT_EQ(site.name_space, "perf");
  EXPECT_EQ(site.image_pull_policy, "Always");
  EXPECT_EQ(site.image_pull_secrets, (std::vector<std::string>{"registry", "other.registry"}));
  EXPECT_EQ(site.service_account, "runner");
  EXPECT_EQ(site.cpu, "500m");
  EXPECT_TRUE(site.mpi_job);
  EXPECT_EQ(site.memory, "1.5Gi");
  EXPECT_EQ(site.gpu_resource, "amd.com/gpu");
  EXPECT_EQ(site.resources.at(1).second, "64Mi");
  EXPECT_EQ(site.node_selector.at(1).second, "true") << "labels are texts";
  EXPECT_EQ(Json::parse(site.tolerations)[0]["tolerationSeconds"], 30);
  EXPECT_EQ(site.affinity, R"({"nodeAffinity":{}})");
  EXPECT_EQ(Json::parse(site.topology_spread)[0]["maxSkew"], 1);
  EXPECT_EQ(site.labels.at(0).first, "team");
  EXPECT_EQ(site.annotations.at(0).second, "two words");
  ASSERT_EQ(site.volumes.size(), 1U);
  EXPECT_EQ(site.volumes[0].mount, "/data");
  EXPECT_EQ(site.volumes[0].sub_path, "a");
  EXPECT_TRUE(site.volumes[0].read_only);
  EXPECT_EQ(Json::parse(site.volumes[0].source)["nfs"]["path"], "/x");
  EXPECT_EQ(site.priority_class, "high");
  EXPECT_EQ(site.shm, "8Gi");
  EXPECT_EQ(site.queue, "fast");
  EXPECT_FALSE(site.one_pod_per_node);
  EXPECT_TRUE(site.host_network);
  EXPECT_FALSE(site.read_only_root);
  EXPECT_EQ(site.run_as_user, 0);
  EXPECT_EQ(site.pending_limit, 5 * kMinute);
  EXPECT_EQ(site.keep, kHour);
  const Json pod = Json::parse(site.pod_patch);
  EXPECT_EQ(pod["schedulerName"], "volcano");
  EXPECT_EQ(pod["containers"][0]["env"][0]["value"], "1") << "quoted: a text";
}

TEST(KubernetesSite, QuantitiesHaveTheFormsOfKubernetes) {
  for (const char* good :
       {"1", "0.5", ".5", "2.", "500m", "1.5Gi", "4G", "1e3", "1E6", "1e-3", "100k", "3Ki", "2E"}) {
    EXPECT_TRUE(is_kube_quantity(good)) << good;
  }
  for (const char* bad : {"", "0", "0Gi", "-1", "+1", "4GB", "4gb", "Gi", "1.2.3", "1 Gi", "1e",
                          "1e1234", "two", "1K", "5mi"}) {
    EXPECT_FALSE(is_kube_quantity(bad)) << bad;
  }
}

TEST(KubernetesSite, NamesHaveTheFormsOfKubernetes) {
  EXPECT_TRUE(is_kube_name("perf-1", false));
  EXPECT_FALSE(is_kube_name("perf.1", false));
  EXPECT_TRUE(is_kube_name("perf.1", true));
  EXPECT_FALSE(is_kube_name("-perf", true));
  EXPECT_FALSE(is_kube_name("Perf", true));
  EXPECT_FALSE(is_kube_name(std::string(64, 'a'), false));
}

TEST(KubernetesSite, YamlBecomesJsonWithItsTypes) {
  const YamlFile file = parse_yaml(
      "a: 1\nb: \"1\"\nc: true\nd: yes\ne: ~\nf: 007\ng: -1.5e3\nh: 1.\ni: [x, {j: null}]\n"
      "k: 9007199254740993\n",
      "x");
  EXPECT_EQ(json_of(file.root),
            R"({"a":1,"b":"1","c":true,"d":"yes","e":null,"f":"007","g":-1.5e3,"h":"1.",)"
            R"("i":["x",{"j":null}],"k":9007199254740993})");
}

std::string hash_of(const Site& site) {
  static const Plan plan = plan_of(
      "study: demo\nscale: [1, 2]\nworkloads:\n  - {name: j, use: jacobi3d, size: {strong: 128, "
      "weak: \"64 * K\"}}\n");
  return series_hash(plan, site);
}

TEST(KubernetesSite, IdentityIsWhatAPodGetsAndNotWhoAsksForIt) {
  const std::string base = hash_of(site_of(""));
  for (const char* same :
       {"  namespace: perf\n", "  context: lab\n", "  kubeconfig: /x\n", "  priority_class: high\n",
        "  keep: 1h\n", "  labels: {team: perf}\n", "  service_account: s\n",
        "  image_pull_policy: Always\n", "  gpu_resource: nvidia.com/gpu\n"}) {
    EXPECT_EQ(hash_of(site_of(same)), base) << same;
  }
  for (const char* other :
       {"  cpu: 2\n", "  memory: 1Gi\n", "  resources: {rdma/hca: 1}\n", "  shm: 1Gi\n",
        "  node_selector: {pool: hpc}\n", "  tolerations: [{operator: Exists}]\n",
        "  one_pod_per_node: false\n", "  host_network: true\n", "  queue: fast\n",
        "  pod: {schedulerName: x}\n",
        "  volumes: [{name: d, mount: /d, source: {emptyDir: {}}}]\n"}) {
    EXPECT_NE(hash_of(site_of(other)), base) << other;
  }
  Site with_access = site_of("");
  with_access.kubernetes.access.token = "s3cret";
  with_access.kubernetes.access.server = "https://lab";
  EXPECT_EQ(hash_of(with_access), base);
  EXPECT_EQ(identity_text(plan_of("study: d\nscale: [1]\nworkloads: [{name: j, use: jacobi3d}]\n"),
                          with_access)
                .find("s3cret"),
            std::string::npos);
}

}  // namespace
}  // namespace kneepoint
