// SPDX-License-Identifier: Apache-2.0
//
// `check --site` and `doctor` on a real cluster: what is wrong with a site is told in one sentence
// before anything is made, and a good one is examined to the end.
#include <gtest/gtest.h>

#include <map>

#include "tests/kubernetes/kube_account.h"
#include "tests/kubernetes/kube_place.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::has;
using testing_support::KubeAccount;

// What `check` says of the site with one text in it replaced; nothing is left in the cluster.
void expect_found(const testing_support::KubePlace& place, const std::string& site,
                  const std::string& sentence) {
  const std::string plan = place.waiting_plan("checked", 1, "timeout: 1m");
  const auto told = place.run({"check", plan, "--site", place.write("bad.yaml", site)});
  EXPECT_TRUE(told.exit_code == 2 || told.exit_code == 3) << told.exit_code;
  EXPECT_TRUE(has(told.output + told.errors, sentence)) << told.output << told.errors;
  EXPECT_EQ(place.lab.leftovers(), "");
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(KubeCheck, WhatIsWrongWithASiteIsFoundBeforeAnythingStarts) {
  testing_support::KubePlace place(false);
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const std::string good = place.lab.site_text(place.path());
  const std::string space = "namespace: " + place.lab.name_space();
  const KubeAccount account(place);
  expect_found(place, good + "  context: nowhere\n", "nowhere");
  expect_found(place, replaced(good, space, "namespace: unheard-of"),
               "there is no namespace 'unheard-of'");
  expect_found(place, good + "  resources: {example.org/thing: 500m}\n", "must be an integer");
  expect_found(place, good + "  memory: 12Quarts\n", "kubernetes.memory");
  // Rights in one namespace only: nobody can tell whether there is another.
  const std::string less = replaced(good, place.lab.kubeconfig(), account.kubeconfig());
  expect_found(place, replaced(less, space, "namespace: unheard-of"),
               "not allowed in namespace unheard-of: jobs (create, get, list, watch, delete)");
}

TEST(KubeDoctor, ExaminesASiteToTheEndAndLeavesNothing) {
  testing_support::KubePlace place;
  if (!place.lab.missing().empty()) GTEST_SKIP() << place.lab.missing();
  const std::string site =
      place.write("site.yaml", place.lab.site_text(place.path()) + "limits: {nodes: 2}\n");
  const auto told = place.run({"doctor", site, "--json"});
  EXPECT_EQ(told.exit_code, 0) << told.output << told.errors;
  std::map<std::string, std::string> grades;
  const json answer = json::parse(told.output, nullptr, false);
  ASSERT_TRUE(answer.is_object()) << told.output << told.errors;
  for (const json& one : answer.at("findings")) grades[one.at("what")] = one.at("grade");
  for (const char* what :
       {"reachable", "size", "rights", "limits", "work_dir", "job", "clock", "mpi"}) {
    EXPECT_EQ(grades[what], "ok") << what << "\n" << told.output;
  }
  EXPECT_TRUE(has(told.output, "2 ranks on 2 pods found each other")) << told.output;
  // How noisy this machine is, no test knows.
  EXPECT_TRUE(has(told.output, "7 runs of the same work")) << told.output;
  EXPECT_TRUE(place.lab.is_swept()) << place.lab.leftovers();
}

}  // namespace
}  // namespace kneepoint
