// SPDX-License-Identifier: Apache-2.0
//
// What `check --site` finds out before anything starts.
#include "orchestrator/backend/kubernetes/session.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "orchestrator/backend/launcher.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/http_server.h"
#include "tests/fakes/scripted_kube.h"

namespace kneepoint {
namespace {

using nlohmann::json;

const KubeAnswer kYes{201, R"({"kind":"SelfSubjectAccessReview","status":{"allowed":true}})"};
const KubeAnswer kNo{201, R"({"kind":"SelfSubjectAccessReview","status":{"allowed":false}})"};

Result<void> check(ScriptedKube& kube, KubeAnswer name_space, const std::vector<int>& denied) {
  kube.answers = {std::move(name_space)};
  for (int i = 0; i < static_cast<int>(kube_rights().size()); ++i) {
    const bool no = std::find(denied.begin(), denied.end(), i) != denied.end();
    kube.answers.push_back(no ? kNo : kYes);
  }
  return check_kube_rights(kube, "perf", kIndexedJob, kSecond);
}

TEST(KubeRights, EachVerbThatIsUsedIsAskedFor) {
  ScriptedKube kube;
  EXPECT_TRUE(check(kube, {200, "{}"}, {}));
  ASSERT_EQ(kube.calls.size(), 12U);
  EXPECT_EQ(kube.calls[0], "GET /api/v1/namespaces/perf");
  EXPECT_EQ(kube.calls[1], "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  const json logs = json::parse(kube.bodies[8])["spec"]["resourceAttributes"];
  EXPECT_EQ(logs["resource"], "pods");
  EXPECT_EQ(logs["subresource"], "log");
  EXPECT_EQ(logs["verb"], "get");
  EXPECT_EQ(logs["namespace"], "perf");
  EXPECT_EQ(json::parse(kube.bodies[1])["spec"]["resourceAttributes"]["group"], "batch");
}

TEST(KubeRights, AllThatIsMissingIsNamedInOneSentence) {
  ScriptedKube kube;
  const auto checked = check(kube, {403, ""}, {0, 4, 7});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::permission);
  EXPECT_EQ(checked.error().message,
            "not allowed in namespace perf: jobs (create, delete), pods/log (get); ask for a Role "
            "with these verbs, such as that of deploy/kubernetes");
}

TEST(KubeRights, ANamespaceThatIsNotThereIsNamed) {
  ScriptedKube kube;
  EXPECT_EQ(check(kube, {404, ""}, {}).error().message,
            "there is no namespace 'perf'; make it, or name another one by kubernetes.namespace of "
            "the site");
  std::vector<int> all;
  for (int i = 0; i < 11; ++i) all.push_back(i);
  EXPECT_NE(check(kube, {403, ""}, all).error().message.find("either there is no such namespace"),
            std::string::npos);
}

AllocationRequest request() {
  AllocationRequest request;
  request.name = "kp-0a1b2c3d-1-r1-a1";
  request.directory = "/nowhere/jacobi-0a1b2c3d-1";
  Step step;
  step.attempt = "r1-a1";
  step.command.argv = {"true"};
  request.steps.push_back(step);
  return request;
}

// The launcher on a server whose answer to a dry run is given.
Result<std::string> rehearse(const std::string& dry_run, std::vector<FakeHttpRequest>& asked) {
  FakeHttpServer server([&](const FakeHttpRequest& one) {
    if (one.path.find("selfsubject") != std::string::npos) {
      return FakeHttpServer::reply(201, kYes.body);
    }
    if (one.path.find("/jobs?dryRun") != std::string::npos) return dry_run;
    return FakeHttpServer::reply(200, "{}");
  });
  Site site;
  site.name = "lab";
  site.backend = BackendKind::kubernetes;
  site.kubernetes.image = "perf:1";
  site.kubernetes.name_space = "perf";
  site.kubernetes.access.server = server.url();
  site.kubernetes.access.context = "lab";
  Poller poller;
  auto launcher = make_launcher({site, system_clock(), poller, "/nowhere"});
  EXPECT_TRUE(launcher) << launcher.error().message;
  if (!launcher) return launcher.error();
  EXPECT_EQ((*launcher)->capabilities().place, "namespace perf of context lab");
  auto said = (*launcher)->rehearse(request(), system_clock().steady() + 10 * kSecond);
  asked = server.requests();
  return said;
}

TEST(KubeRehearsal, IsADryRunOfJobAndServiceOnceTheRightsAreKnown) {
  std::vector<FakeHttpRequest> asked;
  const auto said = rehearse(FakeHttpServer::reply(201, "{}"), asked);
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(*said, "the API server would take it into namespace perf");
  ASSERT_EQ(asked.size(), 15U);
  EXPECT_EQ(asked[13].path,
            "/apis/batch/v1/namespaces/perf/jobs?dryRun=All&fieldValidation=Strict");
  EXPECT_EQ(asked[14].path, "/api/v1/namespaces/perf/services?dryRun=All&fieldValidation=Strict");
}

// A Service of the run's name that belongs to `owner`.
Result<JobRef> submit_beside(const std::string& owner, std::vector<FakeHttpRequest>& asked) {
  FakeHttpServer server([&](const FakeHttpRequest& one) {
    const bool service = one.path.find("/services") != std::string::npos;
    if (one.method == "POST" && service) {
      return FakeHttpServer::reply(409, R"({"kind":"Status","code":409,"reason":"AlreadyExists"})");
    }
    if (service) {
      return FakeHttpServer::reply(
          200, R"({"kind":"Service","metadata":{"ownerReferences":[{"uid":")" + owner + "\"}]}}");
    }
    return FakeHttpServer::reply(200, R"({"kind":"Job","metadata":{"name":"j","uid":"u1",)"
                                      R"("creationTimestamp":"2026-01-02T03:04:05Z"}})");
  });
  Site site;
  site.backend = BackendKind::kubernetes;
  site.kubernetes.image = "perf:1";
  site.kubernetes.access.server = server.url();
  AllocationRequest wanted = request();
  wanted.directory = testing::TempDir() + "kube-service-" + std::to_string(::getpid());
  std::filesystem::remove_all(wanted.directory);
  Poller poller;
  auto launcher = make_launcher({site, system_clock(), poller, "/nowhere"});
  if (!launcher) return launcher.error();
  auto ref = (*launcher)->submit({&wanted, 1}, system_clock().steady() + 10 * kSecond).front();
  asked = server.requests();
  std::filesystem::remove_all(wanted.directory);
  return ref;
}

TEST(KubeSubmit, AServiceOfItsOwnIsAdoptedAndAForeignOneIsLeftAlone) {
  std::vector<FakeHttpRequest> asked;
  const auto adopted = submit_beside("u1", asked);
  ASSERT_TRUE(adopted) << adopted.error().message;
  EXPECT_EQ(adopted->id, "u1");
  const auto refused = submit_beside("u2", asked);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  EXPECT_NE(refused.error().message.find("has a Service"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(asked.back().method, "DELETE") << "the Job can't run without it";
  EXPECT_NE(asked.back().path.find("/jobs/"), std::string::npos);
}

TEST(KubeRehearsal, GivesTheApiServersWordsForABadQuantity) {
  std::vector<FakeHttpRequest> asked;
  const auto said = rehearse(
      FakeHttpServer::reply(
          422, R"({"kind":"Status","code":422,"message":"Job.batch is invalid: )"
               R"(spec.template.spec.containers[0].resources.requests: Invalid value: must be )"
               R"(less than or equal to cpu limit"})"),
      asked);
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, ErrorCode::invalid);
  EXPECT_NE(said.error().message.find("create jobs in namespace perf: refused (422)"),
            std::string::npos);
  EXPECT_NE(said.error().message.find("less than or equal to cpu limit"), std::string::npos);
}

}  // namespace
}  // namespace kneepoint
