// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/plan/site/kubeconfig.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr char kPem[] = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
// base64 of "-----BEGIN Y-----\n"
constexpr char kData[] = "LS0tLS1CRUdJTiBZLS0tLS0K";

class Kubeconfig : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "kubeconfig-" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/pki");
    write("pki/ca.crt", kPem);
    write("pki/kim.crt", kPem);
    write("pki/kim.key", "-----BEGIN KEY-----\n");
    write("pki/token", "from-file\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::string config(const std::string& cluster, const std::string& user) {
    return write("config",
                 "apiVersion: v1\nkind: Config\npreferences: {}\ncurrent-context: lab\n"
                 "contexts:\n- name: lab\n  context: {cluster: lab, user: kim, namespace: perf}\n"
                 "- name: far\n  context: {cluster: far, user: kim}\n"
                 "clusters:\n- name: lab\n  cluster: " +
                     cluster + "\nusers:\n- name: kim\n  user: " + user + "\n");
  }
  Result<KubeAccess> access(const std::vector<std::string>& files,
                            const std::string& context = "") const {
    KubeAccessPlaces places;
    places.files = files;
    places.account_folder = folder_ + "/account";
    return kube_access(places, context);
  }
  std::string why_not(const std::string& cluster, const std::string& user,
                      const std::string& context = "") {
    const auto got = access({config(cluster, user)}, context);
    EXPECT_FALSE(got);
    std::string message = got ? "" : got.error().message;
    for (std::size_t at = message.find(folder_); at != std::string::npos;
         at = message.find(folder_)) {
      message.replace(at, folder_.size(), "D");
    }
    return message;
  }

  std::string folder_;
};

TEST_F(Kubeconfig, CertificatesComeFromFilesBesideItOrFromDataWhichCountsFirst) {
  auto got = access({config("{server: \"https://lab:6443\", certificate-authority: pki/ca.crt}",
                            "{client-certificate: pki/kim.crt, client-key: pki/kim.key}")});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->context, "lab");
  EXPECT_EQ(got->server, "https://lab:6443");
  EXPECT_EQ(got->name_space, "perf");
  EXPECT_EQ(got->ca_pem, kPem);
  EXPECT_EQ(got->client_certificate_pem, kPem);
  EXPECT_EQ(got->client_key_pem, "-----BEGIN KEY-----\n");
  EXPECT_FALSE(got->insecure);
  got =
      access({config("{server: \"https://lab\", certificate-authority: pki/none, "
                     "certificate-authority-data: " +
                         std::string(kData) + ", tls-server-name: kube, proxy-url: \"http://p\"}",
                     "{token: abc, tokenFile: pki/token}")});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->ca_pem, "-----BEGIN Y-----\n");
  EXPECT_EQ(got->tls_server_name, "kube");
  EXPECT_EQ(got->proxy_url, "http://p");
  EXPECT_EQ(got->token_file, folder_ + "/pki/token") << "KubeCredentials prefers it to the token";
}

TEST_F(Kubeconfig, PluginsComeWithTheirArgumentsAndVariables) {
  const auto got = access({config(
      "{server: \"https://lab\", insecure-skip-tls-verify: true}",
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [get, --now], "
      "env: [{name: A, value: \"1\"}], installHint: \"get it\", provideClusterInfo: true}}")});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(got->insecure);
  EXPECT_EQ(got->exec.command, folder_ + "/./login");
  EXPECT_EQ(got->exec.arguments, (std::vector<std::string>{"get", "--now"}));
  EXPECT_EQ(got->exec.environment.at(0).second, "1");
  EXPECT_EQ(got->exec.install_hint, "get it");
  EXPECT_TRUE(got->exec.provide_cluster_info);
}

TEST_F(Kubeconfig, OfSeveralFilesTheFirstValueCountsAndMissingOnesAreSkipped) {
  const std::string first = write("first",
                                  "current-context: two\nusers:\n- {name: kim, user: {token: t1}}\n"
                                  "contexts:\n- {name: one, context: {cluster: c, user: kim}}\n");
  const std::string second =
      write("second",
            "current-context: one\nusers:\n- {name: kim, user: {token: t2}}\n"
            "contexts:\n- {name: two, context: {cluster: c, user: kim, namespace: n}}\n"
            "clusters:\n- {name: c, cluster: {server: \"https://c\"}}\n");
  const auto got = access({folder_ + "/none", first, write("empty", "\n"), second});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->context, "two");
  EXPECT_EQ(got->name_space, "n");
  EXPECT_EQ(got->token, "t1");
  EXPECT_EQ(access({first, second}, "one")->server, "https://c");
}

TEST_F(Kubeconfig, SaysWhichFileLacksWhat) {
  const std::string fine = "{server: \"https://lab\"}";
  EXPECT_EQ(why_not(fine, "{token: s3cret}", "lba"),
            "kubeconfig 'D/config': there is no context 'lba'; the contexts there are: lab, far");
  EXPECT_EQ(why_not(fine, "{token: s3cret}", "far"),
            "kubeconfig 'D/config': context 'far': there is no cluster 'far'; there are: lab");
  EXPECT_EQ(why_not("{}", "{token: s3cret}"),
            "kubeconfig 'D/config': cluster 'lab': has no server");
  EXPECT_EQ(
      why_not("{server: lab}", "{}"),
      "kubeconfig 'D/config': cluster 'lab': server: expected https://HOST:PORT, found 'lab'");
  EXPECT_EQ(why_not("{server: \"https://lab\", certificate-authority: none}", "{}"),
            "kubeconfig 'D/config': cluster 'lab': certificate-authority: 'D/none' can't be read");
  EXPECT_EQ(why_not("{server: \"https://lab\", certificate-authority-data: \"###\"}", "{}"),
            "kubeconfig 'D/config': cluster 'lab': certificate-authority-data is no base64");
  EXPECT_EQ(why_not(fine, "{client-certificate: pki/kim.crt}"),
            "kubeconfig 'D/config': user 'kim': has a client-certificate, but no client-key");
  EXPECT_EQ(why_not(fine, "{client-key-data: cy5lLmMucg==}"),
            "kubeconfig 'D/config': user 'kim': client-key: is no PEM");
  EXPECT_EQ(why_not(fine, "{tokenFile: gone}"),
            "kubeconfig 'D/config': user 'kim': tokenFile: there is no 'D/gone'");
  EXPECT_EQ(why_not(fine, "{exec: {command: x}}"),
            "kubeconfig 'D/config': user 'kim': exec has no apiVersion");
  EXPECT_EQ(why_not(fine, "{token: s3cret, as: root}"),
            "kubeconfig 'D/config': user 'kim': as: acting as somebody else is not supported");
  EXPECT_EQ(why_not(fine, "{username: kim, password: s3cret}"),
            "kubeconfig 'D/config': user 'kim': username and password: API servers no longer take "
            "them; use exec, a token or a client certificate");
}

TEST_F(Kubeconfig, AFileThatTheSiteNamesMustBeThere) {
  KubeAccessPlaces places;
  places.files = {"/nowhere/config"};
  places.must_exist = true;
  places.service_host = "10.96.0.1";
  const auto got = kube_access(places, "");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "kubeconfig '/nowhere/config': there is no such file");
}

TEST_F(Kubeconfig, BrokenYamlIsShownWithItsPlaceAndWithoutItsContent) {
  const auto got = access({write("config", "users:\n- {name: kim, user: {token: s3cret}\n")});
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("config:"), std::string::npos) << got.error().message;
  EXPECT_EQ(got.error().message.find("s3cret"), std::string::npos) << got.error().message;
}

TEST_F(Kubeconfig, WithoutAFileThePodsOwnAccountIsUsed) {
  KubeAccessPlaces places;
  places.files = {folder_ + "/none"};
  places.service_host = "fd00::1";
  places.service_port = "6443";
  places.account_folder = folder_ + "/account";
  EXPECT_NE(kube_access(places, "").error().message.find("this pod has no account"),
            std::string::npos);
  fs::create_directories(places.account_folder);
  write("account/token", "t");
  write("account/ca.crt", kPem);
  write("account/namespace", "perf\n");
  const auto got = kube_access(places, "");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->context, "in-cluster");
  EXPECT_EQ(got->server, "https://[fd00::1]:6443");
  EXPECT_EQ(got->token_file, places.account_folder + "/token");
  EXPECT_EQ(got->token, "") << "rotated: read by whoever uses it";
  EXPECT_EQ(got->ca_pem, kPem);
  EXPECT_EQ(got->name_space, "perf");
  EXPECT_FALSE(kube_access(places, "lab"));
}

TEST_F(Kubeconfig, WithoutAnythingSaysWhereItLooked) {
  const auto got = access({"/nowhere/a", "/nowhere/b"});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message,
            "no kubeconfig is there (looked for: /nowhere/a, /nowhere/b), and this is no pod of a "
            "cluster; name one by kubernetes.kubeconfig of the site or by KUBECONFIG");
}

TEST_F(Kubeconfig, PlacesAreTheSitesThenTheVariablesThenHome) {
  ::setenv("KUBECONFIG", "/a:/b::", 1);
  ::setenv("HOME", "/home/kim", 1);
  ::setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
  KubernetesSite site;
  EXPECT_EQ(kube_access_places(site).files, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(kube_access_places(site).service_host, "10.96.0.1");
  site.kubeconfig = "~/lab";
  EXPECT_EQ(kube_access_places(site).files, (std::vector<std::string>{"/home/kim/lab"}));
  EXPECT_TRUE(kube_access_places(site).must_exist);
  ::unsetenv("KUBECONFIG");
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  site.kubeconfig = "";
  EXPECT_EQ(kube_access_places(site).files, (std::vector<std::string>{"/home/kim/.kube/config"}));
}

}  // namespace
}  // namespace kneepoint
