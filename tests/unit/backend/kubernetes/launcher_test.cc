// SPDX-License-Identifier: Apache-2.0
//
// The launcher on an API server that the test plays: one Job, as it says, and no watches, so that
// every look is a list.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "agents/wire/frame.h"
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/backend/launcher.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/http_server.h"

namespace kneepoint {
namespace {

using nlohmann::json;

class KubernetesLauncher : public testing::Test {
 protected:
  void SetUp() override {
    request_.name = "kp-0a1b2c3d-1-7-a1";
    request_.directory = testing::TempDir() + "kube-launcher-" +
                         testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(request_.directory);
    Step step;
    step.attempt = "r7-a1";
    step.run_dir = request_.directory + "/r7-a1";
    step.command.argv = {"true"};
    request_.steps.push_back(step);
    site_.backend = BackendKind::kubernetes;
    site_.kubernetes.image = "perf:1";
    site_.kubernetes.queue = "fast";
    site_.kubernetes.access.server = server_.url();
    auto made = make_launcher({site_, clock_, poller_, "/nowhere"});
    ASSERT_TRUE(made) << made.error().message;
    launcher_ = std::move(*made);
  }
  void TearDown() override { std::filesystem::remove_all(request_.directory); }

  std::string answer(const FakeHttpRequest& asked) {
    const std::string& path = asked.path;
    if (path.find("watch=1") != std::string::npos) return FakeHttpServer::reply(500, "{}");
    if (path.find("/log") != std::string::npos) {
      const std::lock_guard lock(mutex_);
      return log_.empty() ? FakeHttpServer::reply(404, "{}")
                          : FakeHttpServer::reply(200, log_, "text/plain");
    }
    if (path.find("/events?") != std::string::npos) {
      return FakeHttpServer::reply(
          200, json{{"kind", "EventList"}, {"items", {{{"message", events_}}}}}.dump());
    }
    if (path.find("/pods?") != std::string::npos) {
      return list("Pod", late_pods_-- > 0 ? json::array() : pods_);
    }
    if (path.find("/services") != std::string::npos) return FakeHttpServer::reply(201, "{}");
    if (asked.method == "DELETE") return delete_job();
    if (asked.method == "POST") {
      if (!job_.is_null()) return FakeHttpServer::reply(409, R"({"reason":"AlreadyExists"})");
      job_ = json::parse(asked.body);
      job_["metadata"]["uid"] = "u1";
      job_["metadata"]["creationTimestamp"] = "2027-01-15T08:00:00Z";
    }
    if (path.find("/jobs?") != std::string::npos) {
      return list("Job", job_.is_null() ? json::array() : json::array({job_}));
    }
    return FakeHttpServer::reply(200, job_.dump());
  }
  static std::string list(const std::string& kind, const json& items) {
    return FakeHttpServer::reply(
        200,
        json{{"kind", kind + "List"}, {"metadata", {{"resourceVersion", "1"}}}, {"items", items}}
            .dump());
  }
  std::string delete_job() {
    job_ = nullptr;
    return FakeHttpServer::reply(200, "{}");
  }

  void add_running_pod() {
    pods_ = json::array(
        {{{"metadata",
           {{"name", "p-0"},
            {"labels", {{"job-name", job_["metadata"]["name"]}}},
            {"annotations", {{"batch.kubernetes.io/job-completion-index", "0"}}}}},
          {"status",
           {{"containerStatuses",
             json::array(
                 {{{"name", "agent"},
                   {"state", {{"running", {{"startedAt", "2027-01-15T08:05:00Z"}}}}}}})}}}}});
    // Pods are called after their Job.
    pods_[0]["metadata"]["name"] = job_["metadata"]["name"].get<std::string>() + "-0-x";
  }

  JobRef submit() {
    auto ref = launcher_->submit({&request_, 1}, clock_.steady() + 10 * kSecond).front();
    EXPECT_TRUE(ref) << ref.error().message;
    return ref ? *ref : JobRef{};
  }
  Observation observe(const JobRef& ref) {
    auto seen = launcher_->observe({&ref, 1}, clock_.steady() + 10 * kSecond);
    EXPECT_TRUE(seen) << seen.error().message;
    return seen ? seen->front() : Observation{};
  }

  // Until all has been listed once more: that a watch is refused is seen when it is looked at.
  Observation observe_anew(const JobRef& ref) {
    const std::size_t jobs = lists("/jobs?");
    const std::size_t pods = lists("/pods?");
    Observation seen = observe(ref);
    while ((lists("/jobs?") == jobs || lists("/pods?") == pods) &&
           seen.state != AllocationState::ended && !HasFailure()) {
      seen = observe(ref);
    }
    return observe(ref);
  }
  std::size_t lists(const std::string& kind) const {
    std::size_t count = 0;
    for (const FakeHttpRequest& one : server_.requests()) {
      const bool fits = one.path.find(kind) != std::string::npos;
      count += fits && one.path.find("limit=500") != std::string::npos ? 1 : 0;
    }
    return count;
  }

  json job_;
  json pods_ = json::array();
  std::string events_ = "exceeded quota: pods=0";
  int late_pods_ = 0;  // so many lists do not have them yet
  std::mutex mutex_;
  std::string log_;  // "": there is none
  FakeHttpServer server_{[this](const FakeHttpRequest& asked) { return answer(asked); }};
  FakeClock clock_;
  Poller poller_;
  Site site_;
  AllocationRequest request_;
  std::unique_ptr<Launcher> launcher_;
};

TEST_F(KubernetesLauncher, AJobWaitsInItsQueueAndTheWaitIsCountedToItsFirstPod) {
  const JobRef ref = submit();
  EXPECT_EQ(job_["spec"]["suspend"], true);
  EXPECT_EQ(job_["metadata"]["labels"][kKubeQueueLabel], "fast");
  Observation seen = observe_anew(ref);
  EXPECT_EQ(seen.state, AllocationState::queued);
  EXPECT_EQ(seen.detail, "waiting in queue fast");
  job_["spec"]["suspend"] = false;
  add_running_pod();
  seen = observe_anew(ref);
  EXPECT_EQ(seen.state, AllocationState::running);
  EXPECT_EQ(seen.started_ns - seen.submitted_ns, 5 * kMinute);
}

TEST_F(KubernetesLauncher, AJobThatItsQueueTakesBackHasBeenPreempted) {
  const JobRef ref = submit();
  job_["spec"]["suspend"] = false;
  add_running_pod();
  EXPECT_EQ(observe_anew(ref).state, AllocationState::running);
  job_["spec"]["suspend"] = true;
  pods_ = json::array();
  Observation seen = observe_anew(ref);
  clock_.advance(kMinute);  // its log may have been late
  seen = observe_anew(ref);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_TRUE(seen.preempted);
  EXPECT_EQ(seen.detail, "suspended again: evicted by queue fast");
  EXPECT_TRUE(job_.is_null()) << "let in again it would run behind our back";
}

TEST_F(KubernetesLauncher, ALogThatEndsBeforeItsPodIsFollowedAgain) {
  const JobRef ref = submit();
  job_["spec"]["suspend"] = false;
  add_running_pod();
  record::FrameWriter writer;
  // What is stored of the attempt, once it has become this; the clock goes on meanwhile.
  const auto becomes = [&](const std::string& wanted) {
    const Nanoseconds until = system_clock().steady() + kMinute;
    std::string stored;
    while (stored != wanted && system_clock().steady() < until) {
      EXPECT_EQ(observe(ref).state, AllocationState::running);
      clock_.advance(kSecond);
      EXPECT_TRUE(poller_.wait(5 * kMillisecond));
      std::ifstream file(request_.steps.front().run_dir + "/records.ndjson");
      stored.assign(std::istreambuf_iterator<char>(file), {});
    }
    return stored;
  };
  const auto print = [&](const std::string& line) {
    const std::string printed = writer.append("r7-a1/records.ndjson", line);
    const std::lock_guard lock(mutex_);
    log_ += printed;
  };
  print("one\n");
  EXPECT_EQ(becomes("one\n"), "one\n");
  print("two\n");  // after its kubelet was started anew
  EXPECT_EQ(becomes("one\ntwo\n"), "one\ntwo\n");
}

TEST_F(KubernetesLauncher, AnEndedJobKeepsItsResultWhenItsPodsAreKnownLate) {
  const JobRef ref = submit();
  job_["spec"]["suspend"] = false;
  add_running_pod();
  pods_[0]["status"]["containerStatuses"][0]["state"] = {
      {"terminated",
       {{"exitCode", 0},
        {"startedAt", "2027-01-15T08:05:00Z"},
        {"finishedAt", "2027-01-15T08:06:00Z"}}}};
  job_["status"]["conditions"] = json::array({{{"type", "Complete"}, {"status", "True"}}});
  log_ = record::FrameWriter().append("r7-a1/records.ndjson", "one\n");
  late_pods_ = 1;
  EXPECT_EQ(observe(ref).state, AllocationState::ended);
  std::ifstream file(request_.steps.front().run_dir + "/records.ndjson");
  const std::string stored(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(stored, "one\n") << "the Job is gone, and its log with it";
}

TEST_F(KubernetesLauncher, APodThatCanNotBeMadeIsExplainedByItsEvent) {
  const JobRef ref = submit();
  job_["spec"]["suspend"] = false;
  EXPECT_EQ(observe(ref).detail, "waiting: no pod has been made yet");
  clock_.advance(4 * kSecond);
  const Observation seen = observe(ref);
  EXPECT_EQ(seen.state, AllocationState::queued);
  EXPECT_EQ(seen.detail, "pods could not be made: exceeded quota: pods=0");
}

TEST_F(KubernetesLauncher, PodsThatAreRefusedAreGivenUpWithinMinutesAndAFullQuotaIsNot) {
  const JobRef ref = submit();
  job_["spec"]["suspend"] = false;
  observe(ref);
  const auto seen_after = [&](Nanoseconds passed) {
    for (Nanoseconds gone = 0; gone < passed; gone += 20 * kSecond) {
      clock_.advance(20 * kSecond);
      observe(ref);
    }
    return observe(ref);
  };
  EXPECT_EQ(seen_after(5 * kMinute).state, AllocationState::queued) << "exceeded quota: pods=0";
  events_ = "pods \"kp-0\" is forbidden: violates PodSecurity \"restricted:latest\"";
  EXPECT_EQ(seen_after(kMinute).state, AllocationState::queued);
  const Observation seen = seen_after(kMinute);
  EXPECT_EQ(seen.state, AllocationState::ended);
  EXPECT_EQ(seen.reason, Reason::submit_refused);
  EXPECT_NE(seen.detail.find("violates PodSecurity"), std::string::npos) << seen.detail;
}

TEST_F(KubernetesLauncher, ANamesakeIsAdoptedOnlyIfItIsTheSame) {
  const JobRef ref = submit();
  // Another controller of the same folder, which has forgotten it.
  auto again = make_launcher({site_, clock_, poller_, "/nowhere"});
  ASSERT_TRUE(again);
  auto adopted = (*again)->submit({&request_, 1}, clock_.steady() + 10 * kSecond).front();
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_EQ(adopted->id, ref.id);
  job_["metadata"]["annotations"][kKubeHashNote] = "another";
  again = make_launcher({site_, clock_, poller_, "/nowhere"});
  ASSERT_TRUE(again);
  adopted = (*again)->submit({&request_, 1}, clock_.steady() + 10 * kSecond).front();
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().code, ErrorCode::conflict);
  EXPECT_FALSE(job_.is_null()) << "it is not ours to delete";
}

}  // namespace
}  // namespace kneepoint
