// SPDX-License-Identifier: Apache-2.0
//
// What of a plan or site is not for other people's eyes.
#include "orchestrator/plan/site/redaction.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kneepoint {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

TEST(Redaction, NamesThatSoundSecret) {
  for (const char* name : {"token", "HF_TOKEN", "API_KEY", "apiKey", "client_key", "db-password",
                           "AWS_SECRET_ACCESS_KEY", "token_file", "kubeconfig", "PGPASSWD", "auth",
                           "image_pull_secrets", "GITHUB_PAT"}) {
    EXPECT_TRUE(sounds_secret(name)) << name;
  }
  for (const char* name : {"OMP_NUM_THREADS", "partition", "keyboard", "monkey", "pattern",
                           "ca_file", "passes", "OMPI_MCA_btl", "name", "keep"}) {
    EXPECT_FALSE(sounds_secret(name)) << name;
  }
}

TEST(Redaction, SecretsGoAndTheRestStays) {
  const Redacted got = redact(
      "backend: slurm\n"
      "environment: {OMP_NUM_THREADS: 4, HF_TOKEN: hf_planted_secret_1}\n"
      "slurm:\n"
      "  partition: batch  # a comment with comment_secret\n"
      "  options: [--comment=x, --wckey=shown, --auth-token=planted_2]\n"
      "  prologue: ['export API_KEY=\"planted 3\" A=b', 'curl https://me:planted_4@host/x']\n"
      "  rest: {url: 'http://host:6820', token_file: /secret/place, token_env: SLURM_JWT}\n",
      "site.yaml");
  for (const char* gone : {"planted", "/secret/place", "SLURM_JWT", "comment_secret"}) {
    EXPECT_EQ(got.json.find(gone), std::string::npos) << gone << "\n" << got.json;
  }
  for (const char* kept : {"\"partition\":", "batch", "OMP_NUM_THREADS", "--comment=x", "A=b",
                           "http://host:6820", "host/x", "(left out)"}) {
    EXPECT_NE(got.json.find(kept), std::string::npos) << kept << "\n" << got.json;
  }
  EXPECT_TRUE(holds(got.left_out, "environment.HF_TOKEN"));
  EXPECT_TRUE(holds(got.left_out, "slurm.rest.token_file"));
  EXPECT_TRUE(holds(got.secrets, "hf_planted_secret_1"));
  EXPECT_TRUE(holds(got.secrets, "planted_2"));
  EXPECT_TRUE(holds(got.secrets, "planted 3"));
  EXPECT_TRUE(holds(got.secrets, "me:planted_4"));
  EXPECT_TRUE(holds(got.files, "/secret/place"));
  EXPECT_TRUE(holds(got.variables, "SLURM_JWT"));
}

TEST(Redaction, EnvironmentAsAPodHasItAndWholeMaps) {
  const Redacted got = redact(
      "kubernetes:\n"
      "  pod_patch: {containers: [{env: [{name: DB_PASSWORD, value: planted_5}]}]}\n"
      "  secrets: {a: planted_6, b: [planted_7]}\n",
      "site.yaml");
  EXPECT_EQ(got.json.find("planted"), std::string::npos) << got.json;
  for (const char* one : {"planted_5", "planted_6", "planted_7"}) {
    EXPECT_TRUE(holds(got.secrets, one)) << one;
  }
}

TEST(Redaction, TwiceIsAsOnce) {
  const Redacted once =
      redact("environment: {A_TOKEN: planted_8}\noptions: [--token=planted_9]\n", "site.yaml");
  const Redacted twice = redact(once.json, "site.json");
  EXPECT_EQ(once.json, twice.json);
  EXPECT_TRUE(twice.secrets.empty());
}

TEST(Redaction, NothingSecretNothingLeftOut) {
  const Redacted got = redact("study: a\nscale: [1, 2]\n", "plan.yaml");
  EXPECT_TRUE(got.left_out.empty());
  EXPECT_EQ(redact("a: [", "x").json, "");
}

}  // namespace
}  // namespace kneepoint
