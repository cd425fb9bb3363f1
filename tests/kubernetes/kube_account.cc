// SPDX-License-Identifier: Apache-2.0
//
// A TokenRequest lives ten minutes at least; one that is bound to an object lives as long as that.
#include "tests/kubernetes/kube_account.h"

#include <gtest/gtest.h>

#include "orchestrator/backend/kubernetes/session.h"

namespace kneepoint::testing_support {
namespace {

using nlohmann::json;

json rules_of(const std::vector<KubeRight>& rights) {
  json rules = json::array();
  for (const KubeRight& right : rights) {
    rules.push_back({{"apiGroups", json::array({right.group})},
                     {"resources", json::array({right.resource})},
                     {"verbs", json::array({right.verb})}});
  }
  return rules;
}

}  // namespace

KubeAccount::KubeAccount(const KubePlace& place)
    : place_(place),
      rbac_("/apis/rbac.authorization.k8s.io/v1/namespaces/" + place.lab.name_space()) {
  const KubeLab& lab = place.lab;
  const json name = {{"name", "runner"}};
  post(lab.core("serviceaccounts"), {{"metadata", name}});
  post(rbac_ + "/roles", {{"metadata", name}, {"rules", rules_of(kube_rights())}});
  const json subject = {
      {"kind", "ServiceAccount"}, {"name", "runner"}, {"namespace", lab.name_space()}};
  post(rbac_ + "/rolebindings",
       {{"metadata", name},
        {"roleRef",
         {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", "runner"}}},
        {"subjects", json::array({subject})}});
  renew();
  kubeconfig_ =
      place.write("kubeconfig",
                  "apiVersion: v1\nkind: Config\ncurrent-context: it\n"
                  "clusters:\n- {name: it, cluster: {server: \"" +
                      lab.server() + "\", certificate-authority: " + lab.folder() +
                      "/pki/ca.crt}}\nusers:\n- {name: it, user: {tokenFile: " + place.path() +
                      "/token}}\ncontexts:\n- {name: it, context: {cluster: it, user: it}}\n");
}

void KubeAccount::post(const std::string& path, const json& body) const {
  const auto answer = place_.lab.call("POST", path, body);
  EXPECT_EQ(answer.status, 201) << answer.body.dump();
}

void KubeAccount::renew() {
  const KubeLab& lab = place_.lab;
  tie_ = "tie" + std::to_string(++ties_);
  const auto made = lab.call("POST", lab.core("secrets"), {{"metadata", {{"name", tie_}}}});
  ASSERT_EQ(made.status, 201) << made.body.dump();
  const json tie = {{"kind", "Secret"},
                    {"apiVersion", "v1"},
                    {"name", tie_},
                    {"uid", made.body.at("metadata").at("uid")}};
  const auto answer = lab.call(
      "POST", lab.core("serviceaccounts/runner/token"),
      {{"spec",
        {{"audiences", json::array()}, {"expirationSeconds", 3600}, {"boundObjectRef", tie}}}});
  ASSERT_EQ(answer.status, 201) << answer.body.dump();
  token_ = answer.body.at("status").at("token").get<std::string>();
  place_.write("token", token_);
}

void KubeAccount::lose(const std::string& resource, const std::string& verb) const {
  std::vector<KubeRight> rights = kube_rights();
  const auto is_it = [&](const KubeRight& one) {
    return one.resource == resource && one.verb == verb;
  };
  EXPECT_EQ(std::erase_if(rights, is_it), 1U) << verb << " " << resource;
  be_allowed(rights);
  EXPECT_TRUE(comes_true([&] { return !may(resource, verb); }));
}

void KubeAccount::regain() const {
  be_allowed(kube_rights());
  for (const KubeRight& right : kube_rights()) {
    EXPECT_TRUE(comes_true([&] { return may(right.resource, right.verb); })) << right.resource;
  }
}

void KubeAccount::be_allowed(const std::vector<KubeRight>& rights) const {
  const auto answer =
      place_.lab.call("PUT", rbac_ + "/roles/runner",
                      {{"metadata", {{"name", "runner"}}}, {"rules", rules_of(rights)}});
  EXPECT_EQ(answer.status, 200) << answer.body.dump();
}

bool KubeAccount::may(const std::string& resource, const std::string& verb) const {
  json attributes = {{"namespace", place_.lab.name_space()}, {"verb", verb}};
  for (const KubeRight& right : kube_rights()) {
    if (right.resource != resource) continue;
    attributes["group"] = right.group;
    attributes["resource"] = resource.substr(0, resource.find('/'));
    if (has(resource, "/")) attributes["subresource"] = resource.substr(resource.find('/') + 1);
  }
  const auto answer =
      place_.lab.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                      {{"apiVersion", "authorization.k8s.io/v1"},
                       {"kind", "SelfSubjectAccessReview"},
                       {"spec", {{"resourceAttributes", attributes}}}},
                      token_);
  EXPECT_EQ(answer.status, 201) << answer.body.dump();
  return answer.body.value("status", json::object()).value("allowed", true);
}

void KubeAccount::expire() const {
  const KubeLab& lab = place_.lab;
  EXPECT_EQ(lab.call("DELETE", lab.core("secrets/" + tie_)).status, 200);
  EXPECT_TRUE(comes_true([&] { return lab.call("GET", lab.jobs(), {}, token_).status == 401; }));
}

}  // namespace kneepoint::testing_support
