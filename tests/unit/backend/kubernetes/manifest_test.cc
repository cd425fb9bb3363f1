// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/base/hash.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kneepoint {
namespace {

using nlohmann::json;

AllocationRequest request_of(int nodes, StarterKind starter) {
  AllocationRequest request;
  request.name = "kp-0a1b2c3d-1-r7-a1";
  request.directory = "/var/lib/kneepoint/runs/jacobi-0a1b2c3d-1";
  request.shape.nodes = nodes;
  request.shape.ranks = 2 * nodes;
  request.shape.ranks_per_node = 2;
  Step step;
  step.attempt = "r7-a1";
  step.run_dir = request.directory + "/r7-a1";
  step.shape = request.shape;
  step.command.argv = {"/opt/kneepoint/bin/kp-synthetic", "--seconds", "$(HOME)"};
  step.command.environment = {{"OMP_NUM_THREADS", "1"}};
  step.starter.kind = starter;
  step.limit = 10 * kMinute;
  request.steps.push_back(step);
  request.limit = 10 * kMinute;
  return request;
}

Site site_of() {
  Site site;
  site.backend = BackendKind::kubernetes;
  site.kubernetes.image = "registry.example/kneepoint:1";
  return site;
}

json pod_of(const json& job) {
  return job["spec"]["template"]["spec"];
}

std::string variable(const json& job, const std::string& name) {
  const json pod = pod_of(job);
  for (const json& one : pod["containers"][0]["env"]) {
    if (one["name"] == name) return one.value("value", "");
  }
  return "";
}

TEST(KubeManifest, ARunIsAnIndexedJobThatAlwaysEnds) {
  const auto manifest = kube_manifest(request_of(4, StarterKind::mpirun), site_of(), "key");
  const json job = json::parse(manifest.job);
  const json& spec = job["spec"];
  EXPECT_EQ(spec["completionMode"], "Indexed");
  EXPECT_EQ(spec["completions"], 4);
  EXPECT_EQ(spec["parallelism"], 4);
  EXPECT_EQ(spec["backoffLimit"], 0);
  EXPECT_EQ(spec["activeDeadlineSeconds"], 10 * 60 + 30 * 60 + 60);
  EXPECT_EQ(pod_of(job)["restartPolicy"], "Never");
  EXPECT_EQ(pod_of(job)["subdomain"], manifest.name);
  EXPECT_EQ(pod_of(job)["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(pod_of(job)["containers"][0]["resources"]["limits"]["cpu"], "2");
  EXPECT_EQ(job["metadata"]["annotations"][kKubeHashNote], manifest.hash);
}

TEST(KubeManifest, NamesFitAHostNameAndTellFoldersApart) {
  const std::string longest(40, 'k');
  EXPECT_LE(kube_name(longest, "/a").size() + 1 + 6, 63U);
  EXPECT_NE(kube_name("kp-1", "/a"), kube_name("kp-1", "/b"));
  EXPECT_NE(kube_name("kp-1", "/a", "1"), kube_name("kp-1", "/a", "2"))
      << "the same path on two machines";
  EXPECT_NE(kube_controller("/a", "1"), kube_controller("/a", "2"));
  EXPECT_EQ(kube_name(longest, "/a", "0123456789abcdef").size(), kube_name(longest, "/a").size());
}

TEST(KubeManifest, TheHashKnowsTheRequestAndNotTheKey) {
  const auto request = request_of(2, StarterKind::mpirun);
  const auto one = kube_manifest(request, site_of(), "one");
  EXPECT_EQ(one.hash, kube_manifest(request, site_of(), "two").hash);
  EXPECT_NE(one.job, kube_manifest(request, site_of(), "two").job);
  EXPECT_NE(one.hash, kube_manifest(request_of(3, StarterKind::mpirun), site_of(), "one").hash);
  Site other = site_of();
  other.kubernetes.image = "registry.example/kneepoint:2";
  EXPECT_NE(one.hash, kube_manifest(request, other, "one").hash);
}

TEST(KubeManifest, ABuildThatIsAnImageTakesThePlaceOfTheSites) {
  AllocationRequest request = request_of(2, StarterKind::mpirun);
  const auto own = json::parse(kube_manifest(request, site_of(), "k").job);
  EXPECT_EQ(pod_of(own)["containers"][0]["image"], site_of().kubernetes.image);
  request.steps.front().image = "registry.example/app:new";
  const auto other = json::parse(kube_manifest(request, site_of(), "k").job);
  EXPECT_EQ(pod_of(other)["containers"][0]["image"], "registry.example/app:new");
}

TEST(KubeManifest, StepsTravelInVariablesThatNoOneCanMistake) {
  const auto manifest = kube_manifest(request_of(2, StarterKind::mpirun), site_of(), "k");
  const json job = json::parse(manifest.job);
  std::string text;
  ASSERT_TRUE(base64_decoded(variable(job, "KNEEPOINT_ALLOCATION_0"), text));
  const json step = json::parse(text)["steps"][0];
  EXPECT_EQ(step["run_dir"], "/kneepoint/runs/r7-a1");
  const std::string argv = step["argv"].dump();
  EXPECT_NE(argv.find(manifest.name + "-0:2," + manifest.name + "-1." + manifest.name + ":2"),
            std::string::npos)
      << argv;
  EXPECT_NE(argv.find("kneepoint-agent exec"), std::string::npos) << argv;
  EXPECT_EQ(step["argv"].back(), "$(HOME)") << "Kubernetes would have replaced it";
  EXPECT_NE(argv.find(R"("orte_leave_session_attached","1")"), std::string::npos) << argv;
  EXPECT_NE(argv.find(R"("-x","OMP_NUM_THREADS")"), std::string::npos) << argv;
  EXPECT_EQ(variable(job, "KNEEPOINT_WAIT"), "1800");
}

TEST(KubeManifest, WhereToPushTravelsWithTheStepsAndIsNoPartOfTheHash) {
  AllocationRequest request = request_of(2, StarterKind::mpirun);
  const std::string hash = kube_manifest(request, site_of(), "k").hash;
  request.push = {"https://controller:8443", "secret", "PEM"};
  const auto manifest = kube_manifest(request, site_of(), "k");
  EXPECT_EQ(manifest.hash, hash) << "an adopted job is ours though we listen elsewhere now";
  EXPECT_EQ(manifest.job.find("secret"), std::string::npos);
  std::string text;
  ASSERT_TRUE(base64_decoded(variable(json::parse(manifest.job), "KNEEPOINT_ALLOCATION_0"), text));
  EXPECT_EQ(json::parse(text)["push"]["token"], "secret");
  EXPECT_EQ(json::parse(text)["push"]["url"], "https://controller:8443");
}

TEST(KubeManifest, AProgramWithoutMpiIsStartedInEveryPod) {
  const auto manifest = kube_manifest(request_of(3, StarterKind::none), site_of(), "k");
  std::string text;
  ASSERT_TRUE(base64_decoded(variable(json::parse(manifest.job), "KNEEPOINT_ALLOCATION_0"), text));
  const json argv = json::parse(text)["steps"][0]["argv"];
  const json opening(argv.begin() + 1, argv.begin() + 9);
  EXPECT_EQ(opening, json::parse(R"(["spread","3","-r","2","-x","OMP_NUM_THREADS","--",)"
                                 R"("/opt/kneepoint/bin/kp-synthetic"])"));
}

TEST(KubeManifest, ALargeAllocationIsCutIntoPieces) {
  AllocationRequest request = request_of(1, StarterKind::none);
  request.steps[0].command.argv.emplace_back(300'000, 'x');
  const json job = json::parse(kube_manifest(request, site_of(), "k").job);
  std::string joined;
  for (int i = 0; !variable(job, "KNEEPOINT_ALLOCATION_" + std::to_string(i)).empty(); ++i) {
    const std::string piece = variable(job, "KNEEPOINT_ALLOCATION_" + std::to_string(i));
    EXPECT_LE(piece.size(), 96U << 10U);
    joined += piece;
  }
  std::string text;
  ASSERT_TRUE(base64_decoded(joined, text));
  EXPECT_TRUE(text ==
              kube_allocation_text(request, site_of(), kube_name(request.name, request.directory)));
}

TEST(KubeManifest, TheSitesWishesAreInThePod) {
  Site site = site_of();
  site.kubernetes.queue = "perf";
  site.kubernetes.node_selector = {{"pool", "hpc"}};
  site.kubernetes.resources = {{"rdma/hca", "1"}};
  site.kubernetes.shm = "8Gi";
  site.kubernetes.pod_patch =
      R"({"tolerations":[{"key":"hpc","operator":"Exists"}],)"
      R"("containers":[{"name":"agent","env":[{"name":"UCX_TLS","value":"rc"}]}]})";
  const json job = json::parse(kube_manifest(request_of(2, StarterKind::none), site, "k").job);
  EXPECT_EQ(job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "perf");
  EXPECT_EQ(job["spec"]["suspend"], true);
  const json pod = pod_of(job);
  EXPECT_EQ(pod["nodeSelector"]["pool"], "hpc");
  EXPECT_EQ(pod["containers"][0]["resources"]["limits"]["rdma/hca"], "1");
  EXPECT_EQ(pod["tolerations"][0]["key"], "hpc");
  EXPECT_EQ(variable(job, "UCX_TLS"), "rc");
  EXPECT_EQ(variable(job, "KNEEPOINT_PODS"), "2") << "the patch adds, it does not replace";
}

TEST(KubeManifest, ObjectsTellStudyRunAttemptAndHash) {
  Site site = site_of();
  site.kubernetes.labels = {{"team", "perf"}};
  site.kubernetes.annotations = {{"note", "two words"}};
  const auto manifest = kube_manifest(request_of(1, StarterKind::none), site, "k");
  const json job = json::parse(manifest.job);
  const json& labels = job["metadata"]["labels"];
  EXPECT_EQ(labels[kKubeOwnerLabel], "kneepoint");
  EXPECT_EQ(labels[kKubeStudyLabel], "jacobi-0a1b2c3d-1");
  EXPECT_EQ(labels[kKubeRunLabel], "7");
  EXPECT_EQ(labels[kKubeAttemptLabel], "1");
  EXPECT_EQ(labels["team"], "perf");
  const json& notes = job["metadata"]["annotations"];
  EXPECT_EQ(notes[kKubeStepsNote], "r7-a1");
  EXPECT_EQ(notes[kKubeNameNote], "kp-0a1b2c3d-1-r7-a1");
  EXPECT_EQ(notes["note"], "two words");
  EXPECT_EQ(notes[kKubeHashNote], manifest.hash);
  const json& pod = job["spec"]["template"]["metadata"];
  EXPECT_EQ(pod["labels"][kKubeRunLabel], "7");
  EXPECT_EQ(pod["labels"]["sidecar.istio.io/inject"], "false");
  EXPECT_EQ(pod["annotations"]["linkerd.io/inject"], "disabled");
  EXPECT_EQ(pod["annotations"]["note"], "two words");
  EXPECT_EQ(job["spec"]["ttlSecondsAfterFinished"], 24 * 3600);
}

TEST(KubeManifest, APackedAllocationNamesItsStepsAndALongStudyStaysALabel) {
  AllocationRequest request = request_of(1, StarterKind::none);
  request.directory = "/runs/_" + std::string(70, 's') + "~x";
  request.steps.push_back(request.steps[0]);
  request.steps[1].attempt = "r8-a1";
  for (int i = 0; i < 2000; ++i) request.steps.push_back(request.steps[1]);
  const json job = json::parse(kube_manifest(request, site_of(), "k").job);
  EXPECT_FALSE(job["metadata"]["labels"].contains(kKubeRunLabel));
  EXPECT_EQ(job["metadata"]["labels"][kKubeStudyLabel], std::string(62, 's'));
  const std::string steps = job["metadata"]["annotations"][kKubeStepsNote];
  EXPECT_TRUE(steps.starts_with("r7-a1,r8-a1,"));
  EXPECT_TRUE(steps.ends_with(",..."));
  EXPECT_LT(steps.size(), 4100U);
}

TEST(KubeManifest, APodMayUseMemoryAndScratchButNotChangeItsImage) {
  const json pod =
      pod_of(json::parse(kube_manifest(request_of(2, StarterKind::mpirun), site_of(), "k").job));
  const json& container = pod["containers"][0];
  EXPECT_EQ(container["securityContext"]["readOnlyRootFilesystem"], true);
  EXPECT_EQ(container["securityContext"]["allowPrivilegeEscalation"], false);
  EXPECT_EQ(container["securityContext"]["capabilities"]["drop"][0], "ALL");
  EXPECT_EQ(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
  EXPECT_EQ(pod["automountServiceAccountToken"], false);
  EXPECT_EQ(container["volumeMounts"][1]["mountPath"], "/dev/shm");
  EXPECT_EQ(pod["volumes"][2]["emptyDir"]["medium"], "Memory");
}

TEST(KubeManifest, PlacementIsTheSitesAndOnePodPerNode) {
  Site site = site_of();
  site.kubernetes.tolerations = R"([{"key":"hpc","operator":"Exists"}])";
  site.kubernetes.affinity =
      R"({"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z"}]}})";
  site.kubernetes.topology_spread = R"([{"maxSkew":1,"topologyKey":"rack"}])";
  site.kubernetes.volumes = {
      {"data", "/data", "a", true, R"({"persistentVolumeClaim":{"claimName":"meshes"}})"}};
  site.kubernetes.priority_class = "high";
  site.kubernetes.host_network = true;
  site.kubernetes.image_pull_secrets = {"registry"};
  site.kubernetes.service_account = "runner";
  site.kubernetes.memory = "2Gi";
  AllocationRequest request = request_of(2, StarterKind::none);
  request.shape.gpus_per_node = 4;
  const auto manifest = kube_manifest(request, site, "k");
  const json pod = pod_of(json::parse(manifest.job));
  EXPECT_EQ(pod["tolerations"][0]["key"], "hpc");
  const json& apart =
      pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  ASSERT_EQ(apart.size(), 2U) << "ours is added to the site's";
  EXPECT_EQ(apart[0]["topologyKey"], "z");
  EXPECT_EQ(apart[1]["topologyKey"], "kubernetes.io/hostname");
  EXPECT_EQ(apart[1]["labelSelector"]["matchLabels"]["job-name"], manifest.name);
  EXPECT_EQ(pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]["job-name"],
            manifest.name);
  EXPECT_EQ(pod["volumes"].back()["persistentVolumeClaim"]["claimName"], "meshes");
  EXPECT_EQ(pod["volumes"].back()["name"], "data");
  const json& container = pod["containers"][0];
  EXPECT_EQ(container["volumeMounts"].back(),
            json::parse(R"({"name":"data","mountPath":"/data","subPath":"a","readOnly":true})"));
  EXPECT_EQ(pod["priorityClassName"], "high");
  EXPECT_EQ(pod["hostNetwork"], true);
  EXPECT_EQ(pod["dnsPolicy"], "ClusterFirstWithHostNet");
  EXPECT_EQ(pod["imagePullSecrets"][0]["name"], "registry");
  EXPECT_EQ(pod["serviceAccountName"], "runner");
  for (const char* part : {"requests", "limits"}) {
    EXPECT_EQ(container["resources"][part]["memory"], "2Gi");
    EXPECT_EQ(container["resources"][part]["nvidia.com/gpu"], "4");
  }
  site.kubernetes.one_pod_per_node = false;
  site.kubernetes.affinity = "";
  EXPECT_FALSE(pod_of(json::parse(kube_manifest(request, site, "k").job)).contains("affinity"));
}

TEST(KubePatch, MergesMapsAndNamedListsRemovesNullsAndReplacesTheRest) {
  const std::string after = kube_patched(
      R"({"a":{"b":1,"c":2},"volumes":[{"name":"v","x":1},{"name":"w"}],"args":["1"],"gone":1})",
      R"({"a":{"c":3},"volumes":[{"name":"v","y":2},{"name":"z"}],"args":["2","3"],"gone":null})");
  EXPECT_EQ(json::parse(after),
            json::parse(R"({"a":{"b":1,"c":3},"args":["2","3"],)"
                        R"("volumes":[{"name":"v","x":1,"y":2},{"name":"w"},{"name":"z"}]})"));
}

TEST(KubeService, GoesWithItsJobAndNamesPodsBeforeTheyAreReady) {
  const json service = json::parse(kube_service("kp-1-abc", "/d", "uid-1"));
  EXPECT_EQ(service["spec"]["clusterIP"], "None");
  EXPECT_EQ(service["spec"]["publishNotReadyAddresses"], true);
  EXPECT_EQ(service["spec"]["selector"]["job-name"], "kp-1-abc");
  EXPECT_EQ(service["metadata"]["ownerReferences"][0]["uid"], "uid-1");
  EXPECT_EQ(service["metadata"]["labels"][kKubeOwnerLabel], "kneepoint");
  EXPECT_FALSE(
      json::parse(kube_service("kp-1-abc", "/d", ""))["metadata"].contains("ownerReferences"));
}

}  // namespace
}  // namespace kneepoint
