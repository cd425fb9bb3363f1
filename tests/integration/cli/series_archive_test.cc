// SPDX-License-Identifier: Apache-2.0
//
// A series goes into one file and comes back under its own name: the gate answers the same.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "orchestrator/pack/pack.h"
#include "tests/fakes/kneepoint_process.h"
#include "tests/unit/pack/test_keys.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class SeriesFile : public testing::Test {
 protected:
  void SetUp() override {
    for (int night = 1; night <= 12; ++night) {
      const std::string site =
          place_.write("site.yaml", "backend: simulated\nsimulated: {noise: 0.5%, default_time: " +
                                        std::string(night > 10 ? "12s" : "10s") +
                                        ", seed: " + std::to_string(night) +
                                        "}\nenvironment: {HF_TOKEN: planted-in-the-site}\n");
      ASSERT_EQ(place_.kneepoint({"run", plan_, "--site", site, "--new"}).exit_code, 0);
      place_.kneepoint({"gate"});
    }
  }

  std::string archived(std::vector<std::string> flags = {}) const {
    const std::string path = place_.path() + "/series.tar";
    flags.insert(flags.begin(), {"export", "kept", "--series", "--output", path});
    const auto ended = place_.kneepoint(flags);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    return path;
  }

  const Place place_, other_;
  const std::string plan_ = place_.write(
      "plan.yaml",
      "study: kept\nmodes: [strong]\nscale: [1, 2, 4]\nrepeat: 3\n"
      "workloads: [{name: app, command: [app], metrics: {time: {pattern: \"t=(.*)\"}}}]\n"
      "gate: {max_regression: 4%}\n");
};

TEST_F(SeriesFile, ComesBackAndTheGateAnswersTheSame) {
  const auto verdict = place_.kneepoint({"gate", "--json"});
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(json::parse(verdict.output)["verdict"], "REGRESSED") << verdict.output;
  const std::string file = archived();
  const auto whole = other_.kneepoint({"verify", file});
  EXPECT_EQ(whole.exit_code, 0) << whole.errors;
  EXPECT_NE(whole.output.find("is whole: series kept-"), std::string::npos) << whole.output;

  const auto back = other_.kneepoint({"import", file, "--json"});
  ASSERT_EQ(back.exit_code, 0) << back.errors;
  EXPECT_EQ(json::parse(back.output)["studies"].size(), 12u);
  const auto there = other_.kneepoint({"gate", "--json"});
  EXPECT_EQ(there.exit_code, 1) << there.errors;
  EXPECT_EQ(there.output, verdict.output);
  EXPECT_EQ(other_.kneepoint({"report", "--csv"}).output,
            place_.kneepoint({"report", "--csv"}).output);

  const auto again = other_.kneepoint({"import", file, "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(json::parse(again.output)["studies"].size(), 0u);
  EXPECT_EQ(json::parse(again.output)["known"], 12);
  EXPECT_EQ(json::parse(other_.kneepoint({"list", "--json"}).output)["studies"].size(), 12u);
}

TEST_F(SeriesFile, HoldsNoSecretAndReplacesNothing) {
  const std::string file = archived();
  EXPECT_EQ(place_.read("series.tar").find("planted-in-the-site"), std::string::npos);
  ASSERT_EQ(other_.kneepoint({"import", file}).exit_code, 0);
  ASSERT_EQ(other_.kneepoint({"prune", "--older-than", "0d", "--yes"}).exit_code, 0);
  ASSERT_EQ(other_.kneepoint({"delete", "kept", "--yes"}).exit_code, 0);
  const auto differs = other_.kneepoint({"import", file});
  EXPECT_EQ(differs.exit_code, 2) << differs.output;
  EXPECT_NE(differs.errors.find("is here already, and not the same"), std::string::npos)
      << differs.errors;
  EXPECT_EQ(json::parse(other_.kneepoint({"list", "--json"}).output)["studies"].size(), 11u)
      << "all or nothing";
}

TEST_F(SeriesFile, ThatWasDamagedOrForgedIsRefused) {
  archived();
  std::string bytes = place_.read("series.tar");
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_EQ(other_.kneepoint({"import", other_.write("bad.tar", bytes)}).exit_code, 2);
  EXPECT_EQ(other_.kneepoint({"verify", other_.path() + "/bad.tar"}).exit_code, 1);
  const Pack pack = open_pack(place_.read("series.tar"), std::nullopt).value();
  const auto forged = [&](const std::string& part, const std::string& from, const std::string& to) {
    std::vector<TarMember> parts = pack.parts;
    for (TarMember& one : parts) {
      if (one.name != part) continue;
      const std::size_t at = one.bytes.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      if (at != std::string::npos) one.bytes.replace(at, from.size(), to);
    }
    const auto ended =
        other_.kneepoint({"import", other_.write("forged.tar", write_pack(parts, "").value())});
    EXPECT_EQ(ended.exit_code, 2) << part << " " << to << ": " << ended.output;
    EXPECT_NE(ended.errors.find("nothing was written"), std::string::npos) << ended.errors;
  };
  forged("data/series.ndjson", "kneepoint.series/1", "kneepoint.series/9");
  forged("data/series.ndjson", "\"kept\"", "\"../k\"");
  forged("data/studies.ndjson", "[1,", "[2,");
  forged("data/studies.ndjson", "finished", "running");
  forged("data/runs.ndjson", "[1,", "[99,");
  forged("data/attempts.ndjson", "\"succeeded\"", "\"sleeping\"");
  forged("data/verdicts.ndjson", "\"study\"", "\"studdy\"");
}

TEST_F(SeriesFile, CanBeSigned) {
  const std::string key = place_.write("key.pem", testing_support::kPrivateKey);
  const std::string file = archived({"--sign-key", key});
  const std::string right = other_.write("right.pem", testing_support::kPublicKey);
  const std::string wrong = other_.write("wrong.pem", testing_support::kOtherPublicKey);
  EXPECT_EQ(other_.kneepoint({"import", file, "--key", wrong}).exit_code, 2);
  EXPECT_EQ(other_.kneepoint({"import", file, "--study", "x"}).exit_code, 2);
  EXPECT_EQ(other_.kneepoint({"import", file, "--key", right}).exit_code, 0);
}

}  // namespace
}  // namespace kneepoint
