// SPDX-License-Identifier: Apache-2.0
//
// `audit` through the real program: flags, a file, an imported study.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;

class AuditCommand : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = place_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  json answer(std::vector<std::string> words, int code = 0) const {
    words.insert(words.begin(), "audit");
    words.emplace_back("--json");
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, code) << ended.errors;
    return json::parse(ended.output);
  }

  void refused(std::vector<std::string> words, const std::string& why) const {
    words.insert(words.begin(), "audit");
    const auto ended = place_.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 2) << why;
    EXPECT_NE(ended.errors.find(why), std::string::npos) << ended.errors;
  }

  const Place place_;
};

TEST_F(AuditCommand, TwoFlagsAreAClaim) {
  const json got = answer({"--speedup", "180", "--k", "256"});
  EXPECT_EQ(got["schema"], "kneepoint.audit/1");
  EXPECT_EQ(got["claims"][0]["points"][0]["efficiency"], 0.703125);
  EXPECT_EQ(got["claims"][0]["questions"].size(), 10U);
  const auto text = place_.kneepoint({"audit", "--speedup", "180", "--k", "256"});
  EXPECT_NE(text.output.find("76 of the 256"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("\n  1. "), std::string::npos);
  EXPECT_NE(text.output.find("\n 10. "), std::string::npos);
}

TEST_F(AuditCommand, AClaimThatContradictsItselfHasExitCodeOne) {
  const std::string path = file("claim.yaml",
                                "mode: strong\npoints:\n  - {k: 1, time: 100s}\n"
                                "  - {k: 64, time: 105s, speedup: 61}\n");
  const json got = answer({path}, 1);
  EXPECT_NE(got.dump().find("contradicted"), std::string::npos);
  EXPECT_EQ(got["subject"], path);
}

TEST_F(AuditCommand, AnImportedStudyIsAuditedCurveByCurve) {
  const std::string table = file("slide.csv",
                                 "mode,gpus,speedup\nstrong,1,1\nstrong,64,57.9\nstrong,256,180\n"
                                 "weak,1,1\nweak,256,244\n");
  ASSERT_EQ(place_.kneepoint({"import", table, "--floor", "0.85"}).exit_code, 0);
  const json got = answer({"slide"});
  ASSERT_EQ(got["claims"].size(), 2U);
  EXPECT_EQ(got["floor"], 0.85);
  const json& strong = got["claims"][0];
  EXPECT_EQ(strong["mode"], "strong");
  EXPECT_NEAR(strong["knee"].get<double>(), 107.1, 0.1);
  EXPECT_TRUE(got["claims"][1]["points"][0]["serial_share"].is_null());
}

TEST_F(AuditCommand, BadInputIsNamed) {
  refused({}, "give --speedup and --k");
  refused({"--k", "256"}, "give --speedup and --k");
  refused({"--speedup", "x", "--k", "2"}, "--speedup");
  refused({"--speedup", "2", "--k", "2", "--baseline", "4"}, "--baseline: expected fewer");
  refused({"--speedup", "2", "--k", "2", "--floor", "2"}, "--floor: expected a share below 1");
  refused({file("bad.yaml", "k: 2\nspeed: 3\n")}, "bad.yaml:2:1: speed: unknown key");
  refused({place_.path() + "/none.yaml"}, "none.yaml");
  refused({file("c.yaml", "k: 2\nspeedup: 2\n"), "--k", "3"}, "--k: is for a claim without a file");
}

}  // namespace
}  // namespace kneepoint
