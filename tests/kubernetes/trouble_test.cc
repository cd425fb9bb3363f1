// SPDX-License-Identifier: Apache-2.0
//
// What a cluster's other users and its own limits do to studies: `kneepoint run` on a real cluster,
// beside others who use it.
#include <filesystem>

#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/backend/kubernetes/session.h"
#include "tests/kubernetes/kube_fault.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;
using testing_support::has;
using Executions = std::map<std::string, int>;

class KubeTrouble : public KubeFault {
 protected:
  // The namespace has this quota then, and the API server keeps it.
  bool has_quota(const std::string& name, const std::string& what, const std::string& most) const {
    const json quota = {{"apiVersion", "v1"},
                        {"kind", "ResourceQuota"},
                        {"metadata", {{"name", name}}},
                        {"spec", {{"hard", {{what, most}}}}}};
    const auto made = place.lab.call("POST", place.lab.core("resourcequotas"), quota);
    EXPECT_EQ(made.status, 201) << made.body.dump();
    return made.status == 201 && comes_true([&] {
             const json one = place.lab.call("GET", place.lab.core("resourcequotas/" + name)).body;
             return one.value("status", json::object()).contains("hard");
           });
  }
};
class KubeTroubleSlow : public KubeTrouble {};

TEST_F(KubeTrouble, AJobThatSomebodyElseDeletesStaysOpenAndIsTriedWhenAsked) {
  start_and_wait(2);
  const std::string job = job_of(1);
  ASSERT_FALSE(job.empty());
  EXPECT_EQ(
      place.lab.call("DELETE", place.lab.jobs("/" + job + "?propagationPolicy=Background")).status,
      200);
  ASSERT_TRUE(comes_true([&] { return state() == "cancelled"; }, 120)) << state();
  EXPECT_TRUE(has(detail(), "was deleted by someone else")) << detail();
  place.go();
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_EQ(state(1, 2), "succeeded");
  const auto again = run_again();
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(place.executions(), (Executions{{"r1-a1", 1}, {"r1-a2", 1}, {"r2-a1", 1}}));
  EXPECT_EQ(state(2), "succeeded");
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST_F(KubeTrouble, APodThatSomebodyElseDeletesIsNamedAndItsRunTriedWhenAsked) {
  start_and_wait(1);
  const std::string job = job_of(1);
  const json pods = place.lab.items(place.lab.core("pods?labelSelector=job-name%3D" + job));
  ASSERT_EQ(pods.size(), 1u);
  const std::string pod = pods[0].at("metadata").at("name").get<std::string>();
  EXPECT_EQ(place.lab.call("DELETE", place.lab.core("pods/" + pod)).status, 200);
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 130) << ended.errors;
  EXPECT_EQ(state(1), "cancelled");
  EXPECT_TRUE(has(detail(1), "pod " + pod + " on node lab was deleted by someone else"))
      << place.attempt(1).dump(2);
  place.go();
  const auto again = run_again();
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(place.executions(), (Executions{{"r1-a1", 1}, {"r1-a2", 1}}));
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST_F(KubeTrouble, TooMuchMemoryIsToldAsThat) {
  site_ = place.site("  memory: 64Mi\n");
  const std::string plan = place.write(
      "plan.yaml",
      "study: hungry\nworker: node\nscale: [1]\nmodes: [strong]\nworkloads:\n  - name: eat\n"
      "    command: [sh, -c, \"echo $KNEEPOINT_ATTEMPT >> " +
          place.path() +
          "/trace; tail /dev/zero\"]\n    mpi: false\n"
          "    metrics: {time: {pattern: \"t=([0-9.]+)\", unit: s}}\nrepeat: 1\n"
          "limits: {timeout: 5m, retries: 0}\n");
  const auto ended = place.run({"run", plan, "--site", site_});
  EXPECT_EQ(ended.exit_code, 4) << ended.errors;
  EXPECT_EQ(state(), "failed");
  EXPECT_EQ(place.attempt().value("reason", ""), "oom") << place.attempt().dump(2);
  EXPECT_EQ(place.executions(), (Executions{{"r1-a1", 1}}));
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST_F(KubeTrouble, AMissingImageIsToldWithThePodThatLacksIt) {
  std::string text = place.read("site.yaml");
  text.replace(text.find("worker:1"), 8, "nobody:1");
  // Time for the kubelet of a busy machine to look for it.
  site_ = place.write("site.yaml", text + "  pending_limit: 20s\n");
  start(3);
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 2) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "kneepoint.test/nobody:1")) << ended.errors;
  EXPECT_EQ(state(), "cancelled") << "it stays open";
  EXPECT_EQ(place.attempt().value("reason", ""), "image_missing") << place.attempt().dump(2);
  EXPECT_TRUE(has(detail(), "ImagePull")) << detail();
  EXPECT_TRUE(has(detail(), "kneepoint.test/nobody:1")) << detail();
  EXPECT_TRUE(place.executions().empty());
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST_F(KubeTroubleSlow, PodsThatAreRefusedStopTheStudyWithTheServersWords) {
  ASSERT_TRUE(has_quota("memory", "limits.memory", "8Gi"));
  start(18, 2);
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 2) << ended.errors;
  EXPECT_TRUE(has(ended.errors, "must specify limits.memory")) << ended.errors;
  EXPECT_TRUE(place.executions().empty());
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
  ASSERT_EQ(place.lab.call("DELETE", place.lab.core("resourcequotas/memory")).status, 200);
  place.go();
  const auto again = run_again();  // without the quota
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(place.executions().size(), 18u);
}

TEST_F(KubeTrouble, AQuotaIsWaitedForAndNothingIsLost) {
  ASSERT_TRUE(has_quota("few", "count/jobs.batch", "1"));
  start(2);
  ASSERT_TRUE(comes_true([&] { return has(errors(), "exceeded quota"); }, 120)) << errors();
  place.go();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(place.ask({"status"}).output, "the namespace's quota is used up"));
}

TEST_F(KubeTrouble, ANameThatAForeignJobHasIsToldAndAnotherTaken) {
  place.go();
  start(1);
  const auto first = finish();
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  const std::string study =
      std::filesystem::path(place.attempt().at("folder").get<std::string>()).parent_path();
  const std::string name =
      kube_name(place.attempt().at("allocation").get<std::string>(), study, kube_folder_id(study));
  // The same study again, as if it had never been: its first Job would have the same name.
  std::filesystem::remove_all(study);
  for (const char* file : {"kneepoint.db", "kneepoint.db-wal", "kneepoint.db-shm", "trace"}) {
    std::filesystem::remove_all(place.path() + "/" + file);
  }
  const json container = {{"name", "theirs"}, {"image", "kneepoint.test/worker:1"}};
  const json foreign = {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", {{"name", name}}},
      {"spec",
       {{"suspend", true},
        {"template",
         {{"spec", {{"restartPolicy", "Never"}, {"containers", json::array({container})}}}}}}}};
  const auto made = place.lab.call("POST", place.lab.jobs(), foreign);
  ASSERT_EQ(made.status, 201) << made.body.dump();
  start(1);
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  EXPECT_TRUE(has(place.events(), "has a Job '" + name + "' already that is not ours"))
      << place.events();
  EXPECT_EQ(state(1), "succeeded");
  EXPECT_EQ(place.executions(), (Executions{{"r1-a1", 1}}));
  // Theirs is as it was.
  const auto theirs = place.lab.call("GET", place.lab.jobs("/" + name));
  EXPECT_EQ(theirs.status, 200);
  EXPECT_EQ(theirs.body.at("metadata").at("uid"), made.body.at("metadata").at("uid"));
  EXPECT_EQ(place.lab.call("DELETE", place.lab.jobs("/" + name)).status, 200);
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST_F(KubeTrouble, CancelLeavesNothingBehind) {
  start_and_wait(2);
  EXPECT_EQ(place.ask({"cancel", "faulty"}).exit_code, 0);
  finish();
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
  for (int run = 1; run <= 2; ++run) EXPECT_EQ(state(1, run), "cancelled");
}

TEST_F(KubeTroubleSlow, AnEvictedPodIsPreemptedNamedAndTriedAgain) {
  start_and_wait(1);
  const std::string job = job_of(1);
  const json pods = place.lab.items(place.lab.core("pods?labelSelector=job-name%3D" + job));
  ASSERT_EQ(pods.size(), 1u);
  const std::string pod = pods[0].at("metadata").at("name").get<std::string>();
  const json eviction = {
      {"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", pod}}}};
  ASSERT_EQ(place.lab.call("POST", place.lab.core("pods/" + pod + "/eviction"), eviction).status,
            201);
  ASSERT_TRUE(comes_true([&] { return place.executions().size() == 2; }, 180));
  place.go();
  finish_well({{"r1-a1", 1}, {"r1-a2", 1}});
  EXPECT_EQ(state(1), "preempted") << place.attempt(1).dump(2);
  EXPECT_TRUE(has(detail(1), "pod " + pod + " on node lab: EvictionByEvictionAPI")) << detail(1);
}

}  // namespace
}  // namespace kneepoint
