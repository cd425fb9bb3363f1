// SPDX-License-Identifier: Apache-2.0
//
// A TokenRequest lives ten minutes at least; one that is bound to an object lives as long as that.
#include "tests/kubernetes/kube_account.h"

#include <gtest/gtest.h>

namespace kneepoint::testing_support {
namespace {

using nlohmann::json;

json rules() {
  const auto rule = [](const std::string& group, const std::string& resource, const json& verbs) {
    return json{{"apiGroups", json::array({group})},
                {"resources", json::array({resource})},
                {"verbs", verbs}};
  };
  return json::array(
      {rule("batch", "jobs", json::array({"create", "get", "list", "watch", "delete", "patch"})),
       rule("", "pods", json::array({"get", "list", "watch"})),
       rule("", "pods/log", json::array({"get"})),
       rule("", "services", json::array({"create", "get", "list", "delete"})),
       rule("", "events", json::array({"list"}))});
}

}  // namespace

KubeAccount::KubeAccount(const KubePlace& place) : place_(place) {
  const KubeLab& lab = place.lab;
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + lab.name_space();
  const json name = {{"name", "runner"}};
  post(lab.core("serviceaccounts"), {{"metadata", name}});
  post(rbac + "/roles", {{"metadata", name}, {"rules", rules()}});
  const json subject = {
      {"kind", "ServiceAccount"}, {"name", "runner"}, {"namespace", lab.name_space()}};
  post(rbac + "/rolebindings",
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

void KubeAccount::expire() const {
  const KubeLab& lab = place_.lab;
  EXPECT_EQ(lab.call("DELETE", lab.core("secrets/" + tie_)).status, 200);
  EXPECT_TRUE(comes_true([&] { return lab.call("GET", lab.jobs(), {}, token_).status == 401; }));
}

}  // namespace kneepoint::testing_support
