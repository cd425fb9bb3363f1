// SPDX-License-Identifier: Apache-2.0
//
// Evidence packs through the real program: out of one database, checked, into another; damaged,
// hostile and secret ones.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "orchestrator/pack/pack.h"
#include "tests/fakes/kneepoint_process.h"
#include "tests/unit/pack/test_keys.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::kOtherPublicKey;
using testing_support::kPrivateKey;
using testing_support::kPublicKey;
using testing_support::Place;

constexpr const char* kSecretPlan =
    "study: proof\nworker: node\nscale: [1, 2, 4]\nmodes: [strong]\n"
    "workloads:\n  - {name: syn, use: synthetic}\n"
    "environment: {DB_PASSWORD: planted-in-the-plan}\n"
    "repeat: 3\nlimits: {retries: 5}\n";
constexpr const char* kSecretSite =
    "backend: simulated\nname: sim\nsimulated: {nodes: 8, noise: 0.02, failure_rate: 0.1, seed: "
    "3}\n"
    "environment: {OMP_PROC_BIND: close, HF_TOKEN: planted-in-the-site}\n";

class Packs : public testing::Test {
 protected:
  void SetUp() override {
    const auto ended = vendor_.kneepoint({"run", vendor_.write("plan.yaml", kSecretPlan), "--site",
                                          vendor_.write("site.yaml", kSecretSite)});
    ASSERT_EQ(ended.exit_code, 0) << ended.errors;
  }

  std::string exported(std::vector<std::string> flags = {}) const {
    const std::string path = vendor_.path() + "/out.tar";
    std::vector<std::string> words = {"export", "proof", "--output", path};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto ended = vendor_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return path;
  }

  std::string bytes_of_export() const {
    exported();
    return vendor_.read("out.tar");
  }

  // Both refuse it, and the buyer's database stays as it was.
  void refused(const std::string& bytes, const std::string& why) const {
    const std::string path = buyer_.write("bad.tar", bytes);
    const auto imported = buyer_.kneepoint({"import", path});
    EXPECT_EQ(imported.exit_code, 2) << why << imported.output;
    EXPECT_NE(imported.errors.find(why), std::string::npos) << imported.errors;
    struct stat found {};
    if (::stat((buyer_.path() + "/kneepoint.db").c_str(), &found) != 0) return;
    const auto list = buyer_.kneepoint({"list", "--json"});
    EXPECT_EQ(list.output.find("proof"), std::string::npos) << list.output;
  }

  // The pack with one part changed and its sums made anew, as a forger would.
  std::string forged(const std::string& part, const std::string& from,
                     const std::string& to) const {
    Pack pack = open_pack(bytes_of_export(), std::nullopt).value();
    bool changed = false;
    for (TarMember& one : pack.parts) {
      if (one.name != part) continue;
      const std::size_t at = one.bytes.find(from);
      if (at == std::string::npos) continue;
      one.bytes.replace(at, from.size(), to);
      changed = true;
    }
    EXPECT_TRUE(changed) << part << " has no " << from;
    return write_pack(pack.parts, "").value();
  }

  const Place vendor_, buyer_;
};

TEST_F(Packs, GoFromOneDatabaseIntoAnother) {
  const std::string pack = exported();
  const auto checked = buyer_.kneepoint({"verify", pack});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_NE(checked.output.find("hashed, not signed: detects damage, not forgery"),
            std::string::npos);
  const auto imported = buyer_.kneepoint({"import", pack, "--study", "vendor-a", "--json"});
  ASSERT_EQ(imported.exit_code, 0) << imported.errors;
  const json answer = json::parse(imported.output);
  EXPECT_TRUE(answer["created"]);
  EXPECT_EQ(answer["runs"], 9);
  const std::string id = answer["study"];
  EXPECT_EQ(id, "vendor-a-" + answer["sha256"].get<std::string>().substr(0, 8) + "-1");

  json ours = json::parse(vendor_.kneepoint({"report", "proof", "--json"}).output);
  json theirs = json::parse(buyer_.kneepoint({"report", "vendor-a", "--json"}).output);
  ASSERT_TRUE(ours.contains("cases")) << ours.dump().substr(0, 400);
  EXPECT_EQ(ours["cases"], theirs["cases"]);
  const auto text = buyer_.kneepoint({"report", "vendor-a"});
  EXPECT_NE(text.output.find("evidence pack"), std::string::npos) << text.output;
  EXPECT_EQ(buyer_.kneepoint({"recommend", "vendor-a"}).exit_code, 0);
  EXPECT_EQ(buyer_.kneepoint({"audit", "vendor-a"}).exit_code, 0);

  const auto again = buyer_.kneepoint({"import", pack, "--study", "vendor-a", "--json"});
  EXPECT_FALSE(json::parse(again.output)["created"]);
  EXPECT_EQ(json::parse(again.output)["study"], id);
  const auto anew = buyer_.kneepoint({"import", pack, "--study", "vendor-a", "--new", "--json"});
  EXPECT_EQ(json::parse(anew.output)["study"], id.substr(0, id.size() - 1) + "2");
  const auto compared =
      buyer_.kneepoint({"compare", id, json::parse(anew.output)["study"], "--json"});
  ASSERT_EQ(compared.exit_code, 0) << compared.errors;
  EXPECT_EQ(json::parse(compared.output)["pairs"][0]["curves"][0]["points"][0]["ratio"], 1);
  EXPECT_EQ(buyer_.kneepoint({"delete", id, "--yes"}).exit_code, 0);
}

TEST_F(Packs, TheSameStudyGivesTheSameBytesAndTheSameRowsAfterAJourney) {
  const std::string first = bytes_of_export();
  EXPECT_EQ(first, bytes_of_export());
  ASSERT_EQ(buyer_.kneepoint({"import", exported()}).exit_code, 0);
  const std::string path = buyer_.path() + "/again.tar";
  ASSERT_EQ(buyer_.kneepoint({"export", "proof", "--output", path}).exit_code, 0);
  const Pack before = open_pack(first, std::nullopt).value();
  const Pack after = open_pack(buyer_.read("again.tar"), std::nullopt).value();
  for (const TarMember& part : before.parts) {
    if (!part.name.starts_with("data/") || part.name == "data/events.ndjson") continue;
    ASSERT_NE(after.part(part.name), nullptr) << part.name;
    EXPECT_EQ(*after.part(part.name), part.bytes) << part.name;
  }
  for (const char* name : {"pack.json", "plan.yaml", "site.json", "report/report.txt",
                           "report/report.md", "report/report.json", "data/attempts.ndjson",
                           "data/provenance.ndjson", "data/samples.ndjson"}) {
    EXPECT_NE(before.part(name), nullptr) << name;
  }
}

TEST_F(Packs, HoldNoSecretOfPlanOrSite) {
  const std::string bytes = bytes_of_export();
  EXPECT_EQ(bytes.find("planted"), std::string::npos);
  EXPECT_NE(bytes.find("OMP_PROC_BIND"), std::string::npos);
  const auto told = vendor_.kneepoint({"export", "proof", "--output", vendor_.path() + "/o2.tar"});
  EXPECT_NE(told.output.find("site.environment.HF_TOKEN"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("plan.environment.DB_PASSWORD"), std::string::npos) << told.output;
  EXPECT_EQ(told.output.find("planted"), std::string::npos);
}

TEST_F(Packs, ASecretInACommandIsRefusedByItsPart) {
  const std::string plan = vendor_.write(
      "leak.yaml",
      "study: leak\nworker: node\nscale: [1, 2]\nmodes: [strong]\n"
      "workloads:\n  - {name: app, command: [./app, --login, planted-everywhere], mpi: false,\n"
      "     metrics: {time: {pattern: 't=([0-9.]+)', unit: s}}, model: {strong: '1/K'}}\n"
      "environment: {LOGIN_TOKEN: planted-everywhere}\nrepeat: 1\n");
  const auto ran = vendor_.kneepoint({"run", plan, "--site", vendor_.path() + "/site.yaml"});
  ASSERT_NE(ran.exit_code, 2) << ran.errors;
  const auto refused = vendor_.kneepoint({"export", "leak", "--output", vendor_.path() + "/l.tar"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("so nothing was written"), std::string::npos) << refused.errors;
  EXPECT_EQ(refused.errors.find("planted"), std::string::npos);
  struct stat found {};
  EXPECT_NE(::stat((vendor_.path() + "/l.tar").c_str(), &found), 0);
}

TEST_F(Packs, ASignatureIsCheckedAgainstTheKeyThatIsAskedFor) {
  const std::string pack = exported({"--sign-key", vendor_.write("key.pem", kPrivateKey)});
  const std::string good = buyer_.write("good.pem", kPublicKey);
  const std::string other = buyer_.write("other.pem", kOtherPublicKey);
  const auto known = buyer_.kneepoint({"verify", pack, "--key", good});
  EXPECT_EQ(known.exit_code, 0) << known.errors;
  EXPECT_NE(known.output.find("the key that was asked for"), std::string::npos);
  EXPECT_NE(buyer_.kneepoint({"verify", pack}).output.find("was not checked"), std::string::npos);
  EXPECT_EQ(buyer_.kneepoint({"verify", pack, "--key", other}).exit_code, 1);
  EXPECT_EQ(buyer_.kneepoint({"import", pack, "--key", other}).exit_code, 2);
  EXPECT_EQ(buyer_.kneepoint({"import", pack, "--key", good}).exit_code, 0);
  EXPECT_NE(buyer_.kneepoint({"report", "proof", "--json"}).output.find("signed by SHA256:"),
            std::string::npos);
  EXPECT_EQ(buyer_.kneepoint({"verify", exported(), "--key", good}).exit_code, 1) << "unsigned";
  const auto no_key = vendor_.kneepoint({"export", "proof", "--sign-key", good});
  EXPECT_EQ(no_key.exit_code, 2);
  EXPECT_NE(no_key.errors.find("no Ed25519 private key"), std::string::npos) << no_key.errors;
}

TEST_F(Packs, DamageIsSeenAndNothingIsImported) {
  const std::string bytes = bytes_of_export();
  for (const double share : {0.0001, 0.1, 0.35, 0.6, 0.9999}) {
    std::string changed = bytes;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(bytes.size()));
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const auto checked = buyer_.kneepoint({"verify", buyer_.write("v.tar", changed)});
    EXPECT_EQ(checked.exit_code, 1) << at << checked.output;
    EXPECT_FALSE(checked.errors.empty());
    // A changed first header is no tar any more, so it is read as a table.
    if (at >= 512) refused(changed, "nothing was written");
    refused(bytes.substr(0, std::max<std::size_t>(at, 600)), "nothing was written");
  }
}

TEST_F(Packs, ForgedRowsAreRefused) {
  refused(forged("pack.json", "\"state\": \"finished\"", "\"state\": \"running\""), "state");
  refused(forged("pack.json", "kneepoint.pack/1", "kneepoint.pack/9"), "this kneepoint reads");
  refused(forged("pack.json", "\"name\": \"proof\"", "\"name\": \"../x\""), "not a study's name");
  refused(forged("data/points.ndjson", "\"k\"", "\"k) --\""), "column 'k) --'");
  refused(forged("data/runs.ndjson", "\"succeeded\"", "\"open\""), "not over");
  Pack pack = open_pack(bytes_of_export(), std::nullopt).value();
  for (TarMember& part : pack.parts) {
    if (part.name != "data/attempts.ndjson") continue;
    RowTable table = read_rows(part.bytes, part.name).value();
    const auto column = std::find(table.columns.begin(), table.columns.end(), "seconds");
    for (auto& row : table.rows) {
      row[static_cast<std::size_t>(column - table.columns.begin())] = -1.0;
    }
    part.bytes = write_rows(table);
  }
  refused(write_pack(pack.parts, "").value(), "its time is not possible");
}

TEST_F(Packs, WithoutRunsAreNotWhole) {
  Pack pack = open_pack(bytes_of_export(), std::nullopt).value();
  for (TarMember& part : pack.parts) {
    if (!part.name.starts_with("data/") || part.name == "data/points.ndjson") continue;
    RowTable table = read_rows(part.bytes, part.name).value();
    table.rows.clear();
    part.bytes = write_rows(table);
  }
  const std::string path = buyer_.write("empty.tar", write_pack(pack.parts, "").value());
  const auto checked = buyer_.kneepoint({"verify", path});
  EXPECT_EQ(checked.exit_code, 1) << checked.output;
  EXPECT_NE(checked.errors.find("it has no run"), std::string::npos) << checked.errors;
  EXPECT_EQ(checked.output.find("is whole"), std::string::npos);
  const json answer = json::parse(buyer_.kneepoint({"verify", path, "--json"}).output);
  EXPECT_FALSE(answer["valid"]);
  EXPECT_NE(answer["why"].get<std::string>().find("it has no run"), std::string::npos);
  refused(buyer_.read("empty.tar"), "it has no run");
}

TEST_F(Packs, TimesThatDontFollowFromTheirSamplesAreSaid) {
  Pack pack = open_pack(bytes_of_export(), std::nullopt).value();
  for (TarMember& part : pack.parts) {
    if (part.name != "data/attempts.ndjson") continue;
    RowTable table = read_rows(part.bytes, part.name).value();
    const auto at = static_cast<std::size_t>(
        std::find(table.columns.begin(), table.columns.end(), "seconds") - table.columns.begin());
    for (auto& row : table.rows) row[at] = std::get<double>(row[at]) * 0.5;
    part.bytes = write_rows(table);
  }
  const std::string path = buyer_.write("fast.tar", write_pack(pack.parts, "").value());
  const auto imported = buyer_.kneepoint({"import", path});
  EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_NE(imported.output.find("T of 9 of 9 runs does not follow"), std::string::npos)
      << imported.output;
}

TEST_F(Packs, WhatCantBeExportedOrImportedSaysWhy) {
  const std::string table = buyer_.write("t.csv", "K,T\n1,2\n");
  EXPECT_NE(buyer_.kneepoint({"import", table, "--key", "x"}).errors.find("--key: is for evidence"),
            std::string::npos);
  const auto flag = buyer_.kneepoint({"import", exported(), "--mode", "weak"});
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_NE(flag.errors.find("--mode: is for tables"), std::string::npos) << flag.errors;
  EXPECT_EQ(buyer_.kneepoint({"verify", table}).exit_code, 1);
  EXPECT_EQ(vendor_.kneepoint({"export", "nobody"}).exit_code, 2);
}

}  // namespace
}  // namespace kneepoint
