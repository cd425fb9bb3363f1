// SPDX-License-Identifier: Apache-2.0
//
// Runs as MPIJobs: what is asked of the operator, how what it tells is read, and that nothing else
// is asked for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/backend/kubernetes/read.h"
#include "orchestrator/backend/kubernetes/session.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/scripted_kube.h"

namespace kneepoint {
namespace {

using nlohmann::json;

AllocationRequest request_of(int nodes) {
  AllocationRequest request;
  request.name = "kp-0a1b2c3d-1-r7-a1";
  request.directory = testing::TempDir() + "kube-mpijob-" + std::to_string(::getpid());
  request.shape.nodes = nodes;
  request.shape.ranks = 2 * nodes;
  request.shape.ranks_per_node = 2;
  Step step;
  step.attempt = "r7-a1";
  step.run_dir = request.directory + "/r7-a1";
  step.shape = request.shape;
  step.command.argv = {"kp-synthetic"};
  step.starter.kind = StarterKind::mpirun;
  step.limit = 10 * kMinute;
  request.steps.push_back(step);
  request.limit = 10 * kMinute;
  return request;
}

Site mpijob_site() {
  Site site;
  site.backend = BackendKind::kubernetes;
  site.kubernetes.image = "registry.example/kneepoint:1";
  site.kubernetes.mpi_job = true;
  return site;
}

std::map<std::string, json> variables_of(const json& replica) {
  std::map<std::string, json> variables;
  for (const json& one : replica["template"]["spec"]["containers"][0]["env"]) {
    variables[one["name"]] = one;
  }
  return variables;
}

TEST(KubeMpiJob, ALauncherAndWorkersThatAllRunTheAgent) {
  const auto manifest = kube_manifest(request_of(4), mpijob_site(), "key");
  const json job = json::parse(manifest.job);
  EXPECT_EQ(job["apiVersion"], "kubeflow.org/v2beta1");
  EXPECT_EQ(job["kind"], "MPIJob");
  EXPECT_EQ(job["metadata"]["annotations"][kKubeHashNote], manifest.hash);
  const json& spec = job["spec"];
  EXPECT_EQ(spec["slotsPerWorker"], 2);
  EXPECT_EQ(spec["runLauncherAsWorker"], true) << "else its GPUs are hidden from it";
  const json& replicas = spec["mpiReplicaSpecs"];
  EXPECT_EQ(replicas["Launcher"]["replicas"], 1);
  EXPECT_EQ(replicas["Worker"]["replicas"], 3);
  for (const char* role : {"Launcher", "Worker"}) {
    const json& replica = replicas[role];
    EXPECT_EQ(replica["restartPolicy"], "Never");
    const json& pod = replica["template"]["spec"];
    EXPECT_FALSE(pod.contains("restartPolicy")) << "the operator warns of it";
    EXPECT_EQ(pod["containers"][0]["command"][1], "pod");
    EXPECT_EQ(replica["template"]["metadata"]["labels"][kKubeControllerLabel],
              kube_controller(request_of(1).directory));
    auto variables = variables_of(replica);
    EXPECT_EQ(variables["KNEEPOINT_PODS"]["value"], "4");
    EXPECT_EQ(variables["KNEEPOINT_JOB"]["value"], manifest.name);
    EXPECT_EQ(variables["KNEEPOINT_KEY"]["value"], "key");
    EXPECT_EQ(variables["KNEEPOINT_POD"]["valueFrom"]["fieldRef"]["fieldPath"], "metadata.name");
    const bool has_steps = variables.count("KNEEPOINT_ALLOCATION_0") > 0;
    EXPECT_EQ(has_steps, std::string(role) == "Launcher");
    const json& apart = pod["affinity"]["podAntiAffinity"]
                           ["requiredDuringSchedulingIgnoredDuringExecution"][0]["labelSelector"];
    EXPECT_EQ(apart["matchLabels"]["training.kubeflow.org/job-name"], manifest.name);
  }
}

TEST(KubeMpiJob, EndsByItselfAndIsNeverRepeated) {
  Site site = mpijob_site();
  json policy = json::parse(kube_manifest(request_of(2), site, "k").job)["spec"]["runPolicy"];
  EXPECT_EQ(policy["activeDeadlineSeconds"], 10 * 60 + 30 * 60 + 60);
  EXPECT_EQ(policy["backoffLimit"], 0);
  EXPECT_EQ(policy["ttlSecondsAfterFinished"], site.kubernetes.keep / kSecond);
  EXPECT_EQ(policy["cleanPodPolicy"], "Running");
  EXPECT_FALSE(policy.contains("suspend"));
  site.kubernetes.queue = "fast";
  const json job = json::parse(kube_manifest(request_of(2), site, "k").job);
  EXPECT_EQ(job["spec"]["runPolicy"]["suspend"], true);
  EXPECT_FALSE(job["spec"].contains("suspend"));
  EXPECT_EQ(job["metadata"]["labels"][kKubeQueueLabel], "fast");
}

TEST(KubeMpiJob, ARunOfOnePodHasNoWorkers) {
  const json job = json::parse(kube_manifest(request_of(1), mpijob_site(), "k").job);
  EXPECT_EQ(job["spec"]["mpiReplicaSpecs"].size(), 1U);
  EXPECT_TRUE(job["spec"]["mpiReplicaSpecs"].contains("Launcher"));
}

TEST(KubeMpiJob, NamesFitAHostName) {
  const std::string longest(40, 'k');
  EXPECT_LE((kube_name(longest, "/a") + "-worker-99999").size(), 63U);
}

TEST(KubeMpiJob, MpirunGoesThroughTheAgentsAndNotTheOperatorsWay) {
  const AllocationRequest request = request_of(3);
  const std::string job = kube_name(request.name, request.directory);
  const json step = json::parse(kube_allocation_text(
      request, mpijob_site(), kube_name(request.name, request.directory)))["steps"][0];
  EXPECT_EQ(step["argv"][4], job + "-launcher:2," + job + "-worker-0." + job + ":2," + job +
                                 "-worker-1." + job + ":2");
  EXPECT_EQ(step["env"]["OMPI_MCA_orte_default_hostfile"], "none");
  EXPECT_EQ(step["env"]["OMPI_MCA_plm_rsh_args"], "");
  Site indexed = mpijob_site();
  indexed.kubernetes.mpi_job = false;
  const json other = json::parse(kube_allocation_text(
      request, indexed, kube_name(request.name, request.directory)))["steps"][0];
  EXPECT_FALSE(other["env"].contains("OMPI_MCA_plm_rsh_args"));
}

json mpi_job(const json& conditions) {
  return {{"apiVersion", "kubeflow.org/v2beta1"},
          {"kind", "MPIJob"},
          {"metadata",
           {{"name", "kp-1"},
            {"uid", "u1"},
            {"resourceVersion", "9"},
            {"creationTimestamp", "2027-01-15T08:00:00Z"},
            {"labels", {{kKubeQueueLabel, "fast"}}}}},
          {"spec",
           {{"runPolicy", {{"suspend", conditions.empty()}}},
            {"mpiReplicaSpecs", {{"Launcher", {{"replicas", 1}}}, {"Worker", {{"replicas", 3}}}}}}},
          {"status", {{"startTime", "2027-01-15T08:01:00Z"}, {"conditions", conditions}}}};
}

json condition(const std::string& type, const std::string& status, const std::string& reason) {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", "words"},
          {"lastTransitionTime", "2027-01-15T08:09:00Z"}};
}

TEST(KubeMpiJob, ItsConditionsAreRead) {
  const auto waits = read_kube_job(mpi_job(json::array()).dump());
  ASSERT_TRUE(waits) << waits.error().message;
  EXPECT_TRUE(waits->suspended);
  EXPECT_EQ(waits->completions, 4);
  EXPECT_EQ(waits->queue, "fast");
  EXPECT_EQ(waits->created, parse_kube_time("2027-01-15T08:00:00Z"));

  const json begun = json::array({condition("Created", "True", "MPIJobCreated"),
                                  condition("Suspended", "False", "MPIJobResumed"),
                                  condition("Running", "True", "MPIJobRunning")});
  const auto runs = read_kube_job(mpi_job(begun).dump());
  ASSERT_TRUE(runs);
  EXPECT_FALSE(runs->suspended || runs->complete || runs->failed);

  json over = begun;
  over.push_back(condition("Succeeded", "True", "MPIJobSucceeded"));
  const auto done = read_kube_job(mpi_job(over).dump());
  ASSERT_TRUE(done);
  EXPECT_TRUE(done->complete);
  EXPECT_EQ(done->finished, parse_kube_time("2027-01-15T08:09:00Z"));

  over.back() = condition("Failed", "True", "DeadlineExceeded");
  const auto late = read_kube_job(mpi_job(over).dump());
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->failed && !late->complete);
  EXPECT_EQ(meaning_of(*late, {}).reason, Reason::pending_too_long);
}

json pod(const std::string& name, const std::string& role) {
  json labels = {{"training.kubeflow.org/job-name", "kp-1"},
                 {"training.kubeflow.org/job-role", role}};
  if (role == "launcher") labels["job-name"] = "kp-1-launcher";  // the operator's own Job
  return {{"kind", "Pod"}, {"metadata", {{"name", name}, {"labels", labels}}}};
}

TEST(KubeMpiJob, ItsPodsAreCountedFromTheLauncher) {
  const json list = {
      {"kind", "PodList"},
      {"items", json::array({pod("kp-1-launcher-x7kqz", "launcher"), pod("kp-1-worker-0", "worker"),
                             pod("kp-1-worker-12", "worker"), pod("kp-1-worker-", "worker")})}};
  const auto pods = read_kube_pods(list.dump());
  ASSERT_TRUE(pods);
  std::vector<int> indexes;
  for (const KubePod& one : pods->items) {
    EXPECT_EQ(one.job, "kp-1") << one.name;
    indexes.push_back(one.index);
  }
  EXPECT_EQ(indexes, (std::vector<int>{0, 1, 13, -1}));
}

TEST(KubeMpiJob, MpiJobsAreListedAndWatchedInsteadOfJobs) {
  FakeClock clock;
  ScriptedKube kube;
  KubeView view(kube, "perf", clock, kMpiJob);
  view.add_controller("c1");
  const json list = {{"kind", "MPIJobList"},
                     {"metadata", {{"resourceVersion", "10"}}},
                     {"items", json::array({mpi_job(json::array())})}};
  kube.answers = {{200, list.dump()},
                  {200, R"({"kind":"PodList","metadata":{"resourceVersion":"11"},"items":[]})"}};
  const json over = mpi_job(json::array({condition("Succeeded", "True", "MPIJobSucceeded")}));
  kube.streams = {{{json{{"type", "MODIFIED"}, {"object", over}}.dump() + "\n"}}, {}};
  ASSERT_TRUE(view.look(clock.steady() + kSecond));
  ASSERT_NE(view.job("kp-1"), nullptr);
  EXPECT_TRUE(view.job("kp-1")->suspended);
  ASSERT_TRUE(view.look(clock.steady() + kSecond));
  EXPECT_TRUE(view.job("kp-1")->complete);
  EXPECT_TRUE(kube.follows[0].starts_with(
      "/apis/kubeflow.org/v2beta1/namespaces/perf/mpijobs?labelSelector="))
      << kube.follows[0];
}

TEST(KubeMpiJob, NeedsNoRightsToJobsAndServices) {
  EXPECT_EQ(rights_text(kube_rights(kMpiJob)),
            "mpijobs (create, get, list, watch, delete), pods (list, watch), pods/log (get), "
            "events (list)");
}

class MpiJobLauncher : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(request_.directory);
    site_.kubernetes.access.server = server_.url();
  }
  void TearDown() override { std::filesystem::remove_all(request_.directory); }

  std::string answer(const FakeHttpRequest& asked) const {
    if (!has_operator_) return FakeHttpServer::reply(404, "404 page not found");
    if (asked.method != "POST") {
      return FakeHttpServer::reply(200, R"({"kind":"MPIJobList","items":[]})");
    }
    json job = json::parse(asked.body);
    job["metadata"]["uid"] = "u1";
    return FakeHttpServer::reply(201, job.dump());
  }

  bool has_operator_ = true;
  FakeHttpServer server_{[this](const FakeHttpRequest& asked) { return answer(asked); }};
  FakeClock clock_;
  Poller poller_;
  Site site_ = mpijob_site();
  AllocationRequest request_ = request_of(2);
};

TEST_F(MpiJobLauncher, SubmitsOneObjectAndLeavesTheServiceToTheOperator) {
  const auto launcher = make_launcher({site_, clock_, poller_, "/nowhere"});
  ASSERT_TRUE(launcher) << launcher.error().message;
  const auto ref = (*launcher)->submit({&request_, 1}, clock_.steady() + 10 * kSecond).front();
  ASSERT_TRUE(ref) << ref.error().message;
  EXPECT_EQ(ref->id, "u1");
  std::vector<std::string> posts;
  for (const FakeHttpRequest& one : server_.requests()) {
    if (one.method == "POST") posts.push_back(one.path);
  }
  EXPECT_EQ(posts,
            std::vector<std::string>{"/apis/kubeflow.org/v2beta1/namespaces/default/mpijobs"});
  const auto files = (*launcher)->emit(request_);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, request_.name + ".mpijob.json");
}

TEST_F(MpiJobLauncher, AClusterWithoutTheOperatorIsExplained) {
  has_operator_ = false;
  const auto launcher = make_launcher({site_, clock_, poller_, "/nowhere"});
  ASSERT_FALSE(launcher);
  EXPECT_NE(launcher.error().message.find("install the MPI operator"), std::string::npos)
      << launcher.error().message;
}

}  // namespace
}  // namespace kneepoint
