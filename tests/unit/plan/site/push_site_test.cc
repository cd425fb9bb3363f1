// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/plan/parts.h"

#include "orchestrator/plan/plan/matrix.h"
#include "tests/unit/plan/plan_test_support.h"

namespace kneepoint {
namespace {

SiteRead read_push(const std::string& push, const std::string& backend = "local") {
  const std::string kube = backend == "kubernetes" ? "kubernetes: {image: x}\n" : "";
  return read_site("backend: " + backend + "\n" + kube + "push: " + push + "\n", "s.yaml");
}

PushSite good_push(const std::string& push, const std::string& backend = "local") {
  const SiteRead site = read_push(push, backend);
  EXPECT_EQ(to_string(site.problems), "") << push;
  return site.site.push;
}

void expect_push_problem(const std::string& push, const std::string& words,
                         const std::string& backend = "local") {
  const std::string problems = to_string(read_push(push, backend).problems);
  EXPECT_NE(problems.find(words), std::string::npos) << push << ": " << problems;
  EXPECT_NE(problems.find("s.yaml:"), std::string::npos) << problems;
}

TEST(PushSite, IsOffUnlessSaidAndOnLoopbackUnlessSaid) {
  EXPECT_FALSE(read_site("backend: local\n", "s.yaml").site.push.on);
  const PushSite push = good_push("{}");
  EXPECT_TRUE(push.on);
  EXPECT_EQ(push.listen_host, "127.0.0.1");
  EXPECT_EQ(push.listen_port, 0);
  EXPECT_EQ(push.address, "");
}

TEST(PushSite, EveryKeyIsRead) {
  const PushSite push = good_push(
      "{listen: \"0.0.0.0:8443\", address: \"https://login.example:8443\", certificate: /c, key: "
      "/k, "
      "ca: /a}",
      "slurm");
  EXPECT_EQ(push.listen_host, "0.0.0.0");
  EXPECT_EQ(push.listen_port, 8443);
  EXPECT_EQ(push.address, "https://login.example:8443");
  EXPECT_EQ(push.certificate + push.key + push.ca, "/c/k/a");
  EXPECT_EQ(good_push("{listen: \"[::1]:7\"}").listen_host, "::1");
  EXPECT_EQ(good_push("{listen: \"7\"}").listen_port, 7);
}

TEST(PushSite, WhatCannotWorkIsToldWithItsPlace) {
  expect_push_problem("{listen: nowhere}", "expected HOST:PORT");
  expect_push_problem("{listen: \"a:b:1\"}", "expected HOST:PORT");
  expect_push_problem("{listen: \"127.0.0.1:70000\"}", "expected HOST:PORT");
  expect_push_problem("{address: \"http://x:1\", listen: \"1\"}", "expected https://HOST");
  expect_push_problem("{address: \"https://x:1\"}", "needs a port of its own in `listen`");
  expect_push_problem("{certificate: /c}", "expected both certificate and key");
  expect_push_problem("{ca: /c}", "is for a certificate of your own");
  expect_push_problem("{listen: \"0.0.0.0:1\"}", "agents can't reach 0.0.0.0");
  expect_push_problem("{}", "how pods reach the controller", "kubernetes");
  expect_push_problem("{}", "simulated has none", "simulated");
  expect_push_problem("{adress: x}", "address");
}

TEST(PushSite, IsNoPartOfAStudysIdentity) {
  Plan plan;
  Site site = read_push("{}").site;
  const std::string with = series_hash(plan, site);
  site.push = {};
  EXPECT_EQ(series_hash(plan, site), with);
}

}  // namespace
}  // namespace kneepoint
