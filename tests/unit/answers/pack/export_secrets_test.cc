// SPDX-License-Identifier: Apache-2.0
//
// The last look before a pack is written: values of the site, of the variables that it names and
// of the files that it names are in no part.
#include "orchestrator/answers/pack/export_pack.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/fakes/fake_clock.h"

namespace kneepoint {
namespace {

class ExportSecrets : public testing::Test {
 protected:
  ExportSecrets() {
    std::string name = (std::filesystem::temp_directory_path() / "kp-secret-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) folder_ = name;
    std::ofstream(folder_ + "/token") << "planted-token-of-a-file\n";
    std::ofstream(folder_ + "/kubeconfig")
        << "apiVersion: v1\nclusters:\n- name: prod\nusers:\n"
           "- user: {token: plantedTokenOfAKubeconfig}\n"
           "  client-key-data: cGxhbnRlZC1rZXktb2YtYS1jbHVzdGVy\n";
  }
  ~ExportSecrets() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::vector<std::string> secrets_of(const std::string& site) {
    const Context context{clock_,
                          [](const std::string& name) {
                            return name == "JWT_OF_SLURM"
                                       ? std::optional<std::string>("planted-in-a-variable")
                                       : std::nullopt;
                          },
                          ""};
    return known_secrets(context, redact(site, "site.yaml"));
  }

  static bool refused(const std::string& bytes, const std::vector<std::string>& secrets) {
    const auto answer = refuse_secrets({{"report/report.txt", bytes}}, secrets);
    if (answer) return false;
    EXPECT_NE(answer.error().message.find("report/report.txt"), std::string::npos);
    EXPECT_EQ(answer.error().message.find("planted"), std::string::npos);
    return true;
  }

  std::string folder_;
  FakeClock clock_;
};

TEST_F(ExportSecrets, OfFilesVariablesAndValuesAreKnown) {
  const auto secrets =
      secrets_of("backend: slurm\nslurm: {rest: {token_file: " + folder_ +
                 "/token, token_env: JWT_OF_SLURM}}\nkubernetes: {kubeconfig: " + folder_ +
                 "/kubeconfig}\nenvironment: {API_KEY: planted-in-the-site}\n");
  for (const char* one : {"planted-token-of-a-file", "planted-in-a-variable", "planted-in-the-site",
                          "plantedTokenOfAKubeconfig", "cGxhbnRlZC1rZXktb2YtYS1jbHVzdGVy"}) {
    EXPECT_NE(std::find(secrets.begin(), secrets.end(), one), secrets.end()) << one;
    EXPECT_TRUE(refused("before " + std::string(one) + " after", secrets)) << one;
  }
  EXPECT_FALSE(refused("apiVersion: v1, nothing secret, name: prod", secrets));
}

TEST_F(ExportSecrets, AreFoundAsJsonWritesThemToo) {
  const auto secrets = secrets_of("environment: {API_KEY: 'planted \"quoted\" word'}\n");
  EXPECT_TRUE(refused("[1,\"x planted \\\"quoted\\\" word\"]", secrets));
}

TEST_F(ExportSecrets, ShortValuesAndMissingFilesStopNobody) {
  EXPECT_TRUE(secrets_of("environment: {API_KEY: short}\n").empty());
  EXPECT_TRUE(secrets_of("slurm: {rest: {token_file: /nowhere/at/all}}\n").empty());
}

}  // namespace
}  // namespace kneepoint
