// SPDX-License-Identifier: Apache-2.0
//
// Objects as a 1.32 API server writes them, cut down to what is read.
#include "orchestrator/backend/kubernetes/read.h"

#include <gtest/gtest.h>

#include "orchestrator/backend/kubernetes/client.h"

namespace kneepoint {
namespace {

KubeJob job_of(const std::string& status, const std::string& spec = "{\"completions\":2}") {
  auto job = read_kube_job(
      R"({"kind":"Job","metadata":{"name":"kp-1","uid":"u1","creationTimestamp":"2026-01-02T03:04:05Z",)"
      R"("labels":{"kneepoint.io/controller":"c"},"annotations":{"kneepoint.io/directory":"/d"}},"spec":)" +
      spec + ",\"status\":" + status + "}");
  EXPECT_TRUE(job);
  return *job;
}

KubePod pod_of(int index, const std::string& status, const std::string& more = "") {
  const auto list = read_kube_pods(
      R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"kp-1-)" +
      std::to_string(index) +
      R"(-x","labels":{"job-name":"kp-1"},"annotations":{"batch.kubernetes.io/job-completion-index":")" +
      std::to_string(index) + "\"}" + more + R"(},"spec":{"nodeName":"node)" +
      std::to_string(index) + "\"},\"status\":" + status + "}]}");
  EXPECT_TRUE(list);
  return list->items.at(0);
}

const char* const kRunning =
    R"({"phase":"Running","containerStatuses":[{"name":"agent","state":{"running":{"startedAt":"2026-01-02T03:05:00Z"}}}]})";

std::string terminated(int code, const std::string& reason) {
  return R"({"phase":"Failed","containerStatuses":[{"name":"agent","state":{"terminated":{"exitCode":)" +
         std::to_string(code) + R"(,"reason":")" + reason +
         R"(","startedAt":"2026-01-02T03:05:00Z","finishedAt":"2026-01-02T03:06:00Z"}}}]})";
}

std::string failed(const std::string& reason) {
  return R"({"conditions":[{"type":"FailureTarget","status":"True"},{"type":"Failed","status":"True","reason":")" +
         reason + R"(","message":"it did","lastTransitionTime":"2026-01-02T03:06:02Z"}]})";
}

TEST(KubeStates, WaitsUntilTheFirstPodHasStartedAndSaysWhy) {
  const KubeJob job = job_of("{}");
  EXPECT_EQ(meaning_of(job, {}).state, AllocationState::queued);
  const KubePod unscheduled = pod_of(
      1,
      R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu."}]})");
  EXPECT_NE(meaning_of(job, {unscheduled}).detail.find("3 Insufficient cpu"), std::string::npos);
  const KubePod pulling = pod_of(
      0,
      R"({"phase":"Pending","containerStatuses":[{"name":"agent","state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image"}}}]})");
  EXPECT_NE(meaning_of(job, {unscheduled, pulling}).detail.find("ImagePullBackOff"),
            std::string::npos);
  EXPECT_EQ(meaning_of(job, {unscheduled}).if_given_up, Reason::pending_too_long);
  EXPECT_EQ(meaning_of(job, {unscheduled, pulling}).if_given_up, Reason::image_missing);
  const KubeMeaning runs = meaning_of(job, {pod_of(1, kRunning), pod_of(0, kRunning)});
  EXPECT_EQ(runs.state, AllocationState::running);
  EXPECT_EQ(runs.nodes, "node0,node1");
  EXPECT_EQ(runs.started, parse_kube_time("2026-01-02T03:05:00Z"));
  EXPECT_NE(meaning_of(job_of("{}", R"({"suspend":true})"), {}).detail.find("resume"),
            std::string::npos);
}

TEST(KubeStates, AJobOfAQueueWaitsThereAndItsWaitEndsWithItsFirstPod) {
  const auto suspended = read_kube_job(
      R"({"kind":"Job","metadata":{"name":"kp-1","creationTimestamp":"2026-01-02T03:04:05Z",)"
      R"("labels":{"kueue.x-k8s.io/queue-name":"fast"}},"spec":{"suspend":true}})");
  ASSERT_TRUE(suspended);
  KubeMeaning meaning = meaning_of(*suspended, {});
  EXPECT_EQ(meaning.state, AllocationState::queued);
  EXPECT_EQ(meaning.detail, "waiting in queue fast");
  EXPECT_EQ(meaning.started, 0);
  meaning = meaning_of(job_of(R"({"startTime":"2026-01-02T03:04:50Z"})"), {pod_of(0, kRunning)});
  EXPECT_EQ(meaning.started, parse_kube_time("2026-01-02T03:05:00Z"))
      << "admitted at 03:04:50, the agent ran at 03:05:00";
}

TEST(KubeStates, TheNewestEventTellsWhyPodsLack) {
  EXPECT_EQ(read_kube_event_words(
                R"({"kind":"EventList","items":[)"
                R"({"message":"exceeded quota: b","lastTimestamp":"2026-01-02T03:05:00Z"},)"
                R"({"message":"exceeded quota: a","lastTimestamp":"2026-01-02T03:04:00Z"}]})"),
            "exceeded quota: b");
  EXPECT_EQ(read_kube_event_words(R"({"kind":"EventList","items":[]})"), "");
}

TEST(KubeStates, OnlyCompleteAndFailedAreAnEnd) {
  const KubeJob early = job_of(R"({"conditions":[{"type":"SuccessCriteriaMet","status":"True"}]})");
  EXPECT_EQ(meaning_of(early, {pod_of(0, kRunning)}).state, AllocationState::running);
  const KubeJob target = job_of(R"({"conditions":[{"type":"FailureTarget","status":"True"}]})");
  EXPECT_EQ(meaning_of(target, {pod_of(0, kRunning)}).state, AllocationState::running);
  const KubeJob undone = job_of(R"({"conditions":[{"type":"Complete","status":"False"}]})");
  EXPECT_EQ(meaning_of(undone, {pod_of(0, kRunning)}).state, AllocationState::running);
  const KubeMeaning done = meaning_of(
      job_of(
          R"({"conditions":[{"type":"Complete","status":"True","lastTransitionTime":"2026-01-02T03:07:00Z"}]})"),
      {});
  EXPECT_EQ(done.state, AllocationState::ended);
  EXPECT_EQ(done.reason, Reason::none);
  EXPECT_EQ(done.ended, parse_kube_time("2026-01-02T03:07:00Z"));
}

TEST(KubeStates, ThePodThatTellsTheMostIsNamed) {
  const KubeJob job = job_of(failed("BackoffLimitExceeded"));
  const KubeMeaning oom = meaning_of(
      job, {pod_of(0, terminated(143, "Error")), pod_of(1, terminated(137, "OOMKilled"))});
  EXPECT_EQ(oom.reason, Reason::oom);
  EXPECT_NE(oom.detail.find("pod kp-1-1-x on node node1"), std::string::npos) << oom.detail;
  const auto disrupted = [](const std::string& reason) {
    return pod_of(
        0,
        R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True","reason":")" +
            reason + R"(","message":"why"}]})");
  };
  EXPECT_TRUE(meaning_of(job, {disrupted("PreemptionByScheduler")}).preempted);
  EXPECT_TRUE(meaning_of(job, {disrupted("EvictionByEvictionAPI")}).preempted);
  EXPECT_EQ(meaning_of(job, {disrupted("DeletionByTaintManager")}).reason, Reason::node_failed);
  EXPECT_EQ(meaning_of(job, {disrupted("DeletionByPodGC")}).reason, Reason::node_failed);
  EXPECT_TRUE(
      meaning_of(job, {pod_of(0, R"({"phase":"Failed","reason":"Evicted","message":"disk"})")})
          .preempted);
}

TEST(KubeStates, ADeadlineIsATimeLimitOnlyIfTheRunHadBegun) {
  const KubeJob job = job_of(failed("DeadlineExceeded"));
  EXPECT_EQ(meaning_of(job, {pod_of(0, terminated(143, "Error"))}).reason, Reason::time_limit);
  EXPECT_EQ(meaning_of(job, {}).reason, Reason::pending_too_long);
  const KubePod pulling = pod_of(
      0,
      R"({"phase":"Pending","containerStatuses":[{"name":"agent","state":{"waiting":{"reason":"ErrImagePull","message":"not found"}}}]})");
  EXPECT_EQ(meaning_of(job, {pulling}).reason, Reason::image_missing);
}

TEST(KubeRead, WatchEventsAndWhatIsNone) {
  const auto bookmark = read_kube_event(
      R"({"type":"BOOKMARK","object":{"kind":"Job","metadata":{"resourceVersion":"99"}}})");
  ASSERT_TRUE(bookmark);
  EXPECT_EQ(bookmark->kind, KubeEvent::Kind::bookmark);
  EXPECT_EQ(bookmark->resource_version, "99");
  const auto gone = read_kube_event(
      R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410,"message":"too old"}})");
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->kind, KubeEvent::Kind::error);
  EXPECT_FALSE(read_kube_event("{}"));
  EXPECT_FALSE(read_kube_event("no JSON"));
  EXPECT_FALSE(read_kube_jobs(R"({"kind":"PodList","items":[]})"));
  EXPECT_TRUE(read_kube_jobs(R"({"kind":"JobList","items":null,"metadata":{}})"));
}

TEST(KubeRead, TimesAreUtcWithOrWithoutAFraction) {
  EXPECT_EQ(parse_kube_time("1970-01-01T00:00:01Z"), kSecond);
  EXPECT_EQ(parse_kube_time("1970-01-01T00:00:01.5Z"), kSecond + kSecond / 2);
  EXPECT_EQ(parse_kube_time("1970-01-01T00:00:01.000000001Z"), kSecond + 1);
  EXPECT_EQ(parse_kube_time(""), 0);
  EXPECT_EQ(parse_kube_time("yesterday"), 0);
}

TEST(KubeRefusal, NamesVerbResourceAndNamespaceAndKnowsWhatMayPass) {
  const KubePlace jobs{"batch/v1", "jobs", "perf", "", ""};
  const Error forbidden = kube_refusal(
      {403,
       R"({"kind":"Status","code":403,"reason":"Forbidden","message":"jobs.batch is forbidden"})"},
      "create", jobs);
  EXPECT_EQ(forbidden.code, ErrorCode::permission);
  EXPECT_NE(forbidden.message.find("create jobs in namespace perf"), std::string::npos);
  EXPECT_NE(forbidden.message.find("the verb create on jobs"), std::string::npos);
  const auto code = [&](int status, const std::string& reason) {
    return kube_refusal({status, R"({"kind":"Status","reason":")" + reason + "\"}"}, "create",
                        jobs);
  };
  EXPECT_EQ(code(409, "AlreadyExists").code, ErrorCode::exists);
  EXPECT_EQ(code(409, "Conflict").code, ErrorCode::conflict);
  EXPECT_EQ(code(404, "NotFound").code, ErrorCode::not_found);
  EXPECT_EQ(code(422, "Invalid").code, ErrorCode::invalid);
  EXPECT_FALSE(code(422, "Invalid").retryable);
  EXPECT_TRUE(
      kube_refusal({429, "Too many requests, please try again later."}, "list", jobs).retryable);
  EXPECT_TRUE(code(500, "InternalError").retryable);
}

TEST(KubePath, PutsNamesWhereTheApiWantsThem) {
  EXPECT_EQ(path_of({"batch/v1", "jobs", "perf", "", "limit=1"}),
            "/apis/batch/v1/namespaces/perf/jobs?limit=1");
  EXPECT_EQ(path_of({"v1", "pods/log", "perf", "kp-1-0-x", ""}),
            "/api/v1/namespaces/perf/pods/kp-1-0-x/log");
}

}  // namespace
}  // namespace kneepoint
