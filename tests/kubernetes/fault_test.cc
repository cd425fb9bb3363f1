// SPDX-License-Identifier: Apache-2.0
//
// What clusters and their other users do to studies: `kneepoint run` on a real cluster that is hurt
// meanwhile. Pods wait for a file named `go`, so that every fault strikes while they live. Each
// test asserts how often every attempt was executed, what `explain` tells, and that nothing is left
// over. A test that hurts the cluster heals it again.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>

#include "orchestrator/backend/kube_book.h"
#include "orchestrator/backend/kube_manifest.h"
#include "tests/kubernetes/kube_account.h"
#include "tests/kubernetes/kube_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::comes_true;
using testing_support::has;
using testing_support::KubePlace;
using Executions = std::map<std::string, int>;

class KubeFault : public testing::Test {
 protected:
  void SetUp() override {
    if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
    site_ = place.site();
  }

  // A study of so many runs that wait; `limits` of the plan.
  void start(int runs, const std::string& limits = "timeout: 10m, retries: 2") {
    const std::string plan = place.waiting_plan("faulty", runs, limits);
    command_ = {"run", plan, "--site", site_, "--concurrent", std::to_string(runs)};
    pid_ = place.start(command_);
  }
  void start_and_wait(int runs) {
    start(runs);
    ASSERT_TRUE(comes_true(
        [&] { return place.executions().size() == static_cast<std::size_t>(runs); }, 120));
  }
  testing_support::Place::Ended finish() const { return place.finish(pid_); }
  testing_support::Place::Ended run_again() const { return place.run(command_); }
  // All went well in spite of it.
  void finish_well(const Executions& expected) {
    const auto ended = finish();
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_EQ(place.executions(), expected);
    EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
  }

  std::string state(std::size_t number = 1, int run = 1) const {
    return place.attempt(number, run).value("state", "");
  }
  std::string detail(std::size_t number = 1) const {
    return place.attempt(number).value("detail", "");
  }
  std::string errors() const { return place.read("err"); }
  // Its name there; "": there is none.
  std::string job_of(int run) const {
    const std::string allocation = place.attempt(1, run).value("allocation", "");
    for (const json& job : place.lab.items(place.lab.jobs())) {
      const json& metadata = job.at("metadata");
      if (metadata.at("annotations").value("kneepoint.io/allocation", "") == allocation) {
        return metadata.at("name").get<std::string>();
      }
    }
    return "";
  }

  KubePlace place;
  std::string site_;
  std::vector<std::string> command_;
  pid_t pid_ = 0;
};
class KubeFaultSlow : public KubeFault {};

TEST_F(KubeFault, AnApiServerThatIsKilledAndStartedAgainIsWaitedFor) {
  start_and_wait(2);
  ASSERT_EQ(place.lab.cluster("stop", {"kube-apiserver", "KILL"}), 0);
  place.go();  // the pods end while nobody can say so
  EXPECT_TRUE(comes_true([&] { return !errors().empty(); }, 60)) << "nothing was said of it";
  EXPECT_FALSE(place.ended_within(pid_, 1'000'000)) << "it gave up";
  ASSERT_EQ(place.lab.cluster("start", {"kube-apiserver"}), 0);
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(errors(), "it answers again after ")) << errors();
}

TEST_F(KubeFault, ConnectionsThatAreCutAreMadeAgain) {
  start_and_wait(2);
  ASSERT_EQ(place.lab.cluster("cut"), 0);
  EXPECT_FALSE(place.ended_within(pid_, 1'000'000));
  ASSERT_EQ(place.lab.cluster("cut"), 0);
  place.go();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
}

TEST_F(KubeFault, AJobThatSomebodyElseDeletesStaysOpenAndIsTriedWhenAsked) {
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

TEST_F(KubeFault, APodThatSomebodyElseDeletesIsNamedAndItsRunTriedWhenAsked) {
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

TEST_F(KubeFault, TooMuchMemoryIsToldAsThat) {
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

TEST_F(KubeFault, AMissingImageIsToldWithThePodThatLacksIt) {
  std::string text = place.read("site.yaml");
  text.replace(text.find("worker:1"), 8, "nobody:1");
  site_ = place.write("site.yaml", text + "  pending_limit: 5s\n");
  start(1);
  const auto ended = finish();
  EXPECT_EQ(ended.exit_code, 4) << ended.errors;
  EXPECT_EQ(place.attempt().value("reason", ""), "image_missing") << place.attempt().dump(2);
  EXPECT_TRUE(has(detail(), "ImagePull")) << detail();
  EXPECT_TRUE(has(detail(), "kneepoint.test/nobody:1")) << detail();
  EXPECT_TRUE(place.executions().empty());
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

TEST_F(KubeFault, AQuotaIsWaitedForAndNothingIsLost) {
  const json quota = {{"apiVersion", "v1"},
                      {"kind", "ResourceQuota"},
                      {"metadata", {{"name", "few"}}},
                      {"spec", {{"hard", {{"count/jobs.batch", "1"}}}}}};
  ASSERT_EQ(place.lab.call("POST", place.lab.core("resourcequotas"), quota).status, 201);
  ASSERT_TRUE(comes_true([&] {
    const json one = place.lab.call("GET", place.lab.core("resourcequotas/few")).body;
    return one.value("status", json::object()).contains("hard");
  }));
  start(2);
  ASSERT_TRUE(comes_true([&] { return has(errors(), "exceeded quota"); }, 120)) << errors();
  place.go();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(place.ask({"status"}).output, "the namespace's quota is used up"));
}

TEST_F(KubeFault, ANameThatAForeignJobHasIsToldAndAnotherTaken) {
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

TEST_F(KubeFault, ATokenThatExpiresInMidStudyIsReadAgainFromItsFile) {
  testing_support::KubeAccount account(place);
  std::string text = place.read("site.yaml");
  const std::string admin = place.lab.kubeconfig();
  text.replace(text.find(admin), admin.size(), account.kubeconfig());
  site_ = place.write("site.yaml", text);
  start_and_wait(2);
  account.expire();
  ASSERT_EQ(place.lab.cluster("cut"), 0);  // an open watch outlives its token
  place.go();
  EXPECT_TRUE(comes_true([&] { return has(errors(), "(401)"); }, 120)) << errors();
  account.renew();
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
  EXPECT_TRUE(has(errors(), "it answers again after ")) << errors();
}

TEST_F(KubeFault, CancelLeavesNothingBehind) {
  start_and_wait(2);
  EXPECT_EQ(place.ask({"cancel", "faulty"}).exit_code, 0);
  finish();
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
  for (int run = 1; run <= 2; ++run) EXPECT_EQ(state(1, run), "cancelled");
}

TEST_F(KubeFaultSlow, AnEtcdThatStandsStillForTwentySecondsIsWaitedFor) {
  start_and_wait(2);
  ASSERT_EQ(place.lab.cluster("signal", {"etcd", "STOP"}), 0);
  place.go();
  EXPECT_FALSE(place.ended_within(pid_, 20'000'000)) << "it gave up";
  ASSERT_EQ(place.lab.cluster("signal", {"etcd", "CONT"}), 0);
  finish_well({{"r1-a1", 1}, {"r2-a1", 1}});
}

}  // namespace
}  // namespace kneepoint
