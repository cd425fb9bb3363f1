// SPDX-License-Identifier: Apache-2.0
//
// Every command through the real program, on the simulated backend and with /bin/echo.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fakes/kneepoint_process.h"

namespace kneepoint {
namespace {

using nlohmann::json;
using testing_support::Place;
namespace fs = std::filesystem;

constexpr const char* kPlan = R"(study: model
worker: node
scale: [1, 2, 4]
modes: [strong]
workloads:
  - name: model
    use: synthetic
    parameters: {s: 0.05, c: 0.01, seconds: 36}
repeat: 2
)";
constexpr const char* kSite = "backend: simulated\nname: sim\nsimulated: {nodes: 8}\n";

std::string echo_plan(const std::string& word) {
  return R"y(study: echo
worker: rank
scale: [1]
modes: [strong]
workloads:
  - name: echo
    command: [/bin/echo, ")y" +
         word + R"y("]
    mpi: false
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 2
)y";
}

class Commands : public testing::Test {
 protected:
  std::vector<std::string> with_site(std::vector<std::string> words) {
    words.insert(words.begin() + 1, place.write("plan.yaml", kPlan));
    words.push_back("--site");
    words.push_back(place.write("site.yaml", kSite));
    return words;
  }
  json answer(const std::vector<std::string>& words) {
    const auto ended = place.kneepoint(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    const json parsed = json::parse(ended.output, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << ended.output;
    return parsed;
  }
  Place place;
};

TEST_F(Commands, CheckShowsTheMatrixAndLeavesNothingBehind) {
  const auto shown = place.kneepoint(with_site({"check"}));
  ASSERT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_NE(shown.output.find("Would submit 6 allocations"), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("by the workloads' models"), std::string::npos) << shown.output;
  const json checked = answer(with_site({"check", "--json"}));
  EXPECT_EQ(checked["points"].size(), 3U);
  EXPECT_EQ(checked["points"][2]["nodes"], 4);
  EXPECT_NEAR(
      checked["estimate"]["modelled_node_hours"].get<double>(),
      // 2 repeats of 5 iterations each
      2 * 5 * (36.0 + 2 * 36 * (0.05 + 0.95 / 2 + 0.01) + 4 * 36 * (0.05 + 0.95 / 4 + 0.02)) / 3600,
      1e-9);
  EXPECT_FALSE(fs::exists(place.path() + "/kneepoint.db"));
  EXPECT_FALSE(fs::exists(place.path() + "/runs"));
}

TEST_F(Commands, CheckReportsEveryProblemAndExitsWithTwo) {
  const std::string plan = place.write("bad.yaml", "study: x\nscalee: [1]\nrepeat: many\n");
  const auto shown = place.kneepoint({"check", plan});
  EXPECT_EQ(shown.exit_code, 2);
  EXPECT_NE(shown.errors.find("bad.yaml:2:1"), std::string::npos) << shown.errors;
  EXPECT_NE(shown.errors.find("did you mean 'scale'"), std::string::npos) << shown.errors;
  const auto listed = place.kneepoint({"check", plan, "--json"});
  EXPECT_EQ(listed.exit_code, 2);
  EXPECT_GE(json::parse(listed.output)["problems"].size(), 3U) << listed.output;
  EXPECT_EQ(place.kneepoint({"check", place.path() + "/none.yaml"}).exit_code, 2);
  EXPECT_EQ(place.kneepoint({"run", plan}).exit_code, 2);
}

TEST_F(Commands, CheckEmitsOneSubmissionForEachPointIntoAnEmptyFolder) {
  const std::string folder = place.path() + "/emitted";
  const std::string plan = place.write("echo.yaml", echo_plan("t=1"));
  const auto shown = place.kneepoint({"check", plan, "--emit", folder});
  ASSERT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_FALSE(fs::is_empty(folder));
  EXPECT_FALSE(fs::exists(place.path() + "/runs"));
  const auto again = place.kneepoint({"check", plan, "--emit", folder});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.errors.find("not an empty folder"), std::string::npos) << again.errors;
}

TEST_F(Commands, APlanBeyondTheCoresIsRefusedByK) {
  const std::string plan = place.write("big.yaml", R"y(study: big
worker: rank
scale: [1, 4096]
modes: [strong]
workloads:
  - name: echo
    command: [/bin/echo, "t=1"]
    metrics: {time: {pattern: "t=([0-9.]+)", unit: s}}
repeat: 1
)y");
  const auto refused = place.kneepoint({"run", plan});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("K=4096 needs 4096 cores"), std::string::npos) << refused.errors;
  EXPECT_NE(refused.errors.find("oversubscribe: true"), std::string::npos) << refused.errors;
  EXPECT_FALSE(fs::exists(place.path() + "/kneepoint.db"));
}

TEST_F(Commands, AStudyCanBeRunListedReportedAndDeleted) {
  const auto ran = place.kneepoint(with_site({"run"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_NE(ran.errors.find("r1 succeeded"), std::string::npos) << ran.errors;
  EXPECT_NE(ran.errors.find("6 of 6 runs done, 0 failed"), std::string::npos) << ran.errors;
  EXPECT_EQ(ran.errors.find('\x1b'), std::string::npos) << "no terminal, no cursor movements";

  const json list = answer({"list", "--json"});
  ASSERT_EQ(list["studies"].size(), 1U);
  const std::string id = list["studies"][0]["id"];
  EXPECT_EQ(list["studies"][0]["state"], "finished");
  EXPECT_EQ(place.kneepoint({"list", "--quiet"}).output, id + "\n");
  EXPECT_NE(place.kneepoint({"list"}).output.find("6/6"), std::string::npos);

  const json status = answer({"status", "model", "--json"});
  EXPECT_EQ(status["runs"]["succeeded"], 6);
  EXPECT_EQ(status["points"].size(), 3U);
  EXPECT_TRUE(status["controller"].is_null());
  EXPECT_NE(place.kneepoint({"status"}).output.find("6/6 done"), std::string::npos);
  EXPECT_EQ(place.kneepoint({"watch", id}).exit_code, 0);

  EXPECT_EQ(answer({"report", "--json"})["cases"][0]["modes"]["strong"]["points"].size(), 3U);
  EXPECT_NE(place.kneepoint({"report", "--markdown"}).output.find("|"), std::string::npos);
  EXPECT_NE(place.kneepoint({"report", "--csv"}).output.find(","), std::string::npos);
  const std::string file = place.path() + "/report.md";
  EXPECT_EQ(place.kneepoint({"report", id, "--markdown", "--output", file}).output, "");
  EXPECT_EQ(place.read("report.md"), place.kneepoint({"report", id, "--markdown"}).output);
  EXPECT_EQ(place.kneepoint({"report", "--csv", "--json"}).exit_code, 2);
  const std::string page = place.path() + "/report.html";
  EXPECT_EQ(place.kneepoint({"report", id, "--html", "--output", page}).output, "");
  EXPECT_EQ(place.read("report.html"), place.kneepoint({"report", id, "--html"}).output);
  EXPECT_NE(place.read("report.html").find("<!doctype html>"), std::string::npos);
  EXPECT_EQ(place.kneepoint({"report", "--html", "--brief"}).exit_code, 2);
  const std::string folder = place.path() + "/figures";
  EXPECT_EQ(place.kneepoint({"report", "--figures", folder, "--html"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(folder)) << "refused before anything is written";
  for (int again = 0; again < 2; ++again) {
    const auto drawn = place.kneepoint({"report", id, "--figures", folder});
    EXPECT_EQ(drawn.exit_code, 0) << drawn.errors;
    EXPECT_NE(drawn.errors.find("figures into " + folder), std::string::npos) << drawn.errors;
  }
  EXPECT_TRUE(fs::exists(folder + "/model-strong-efficiency.svg"));
  EXPECT_TRUE(fs::exists(folder + "/model-strong-efficiency-linear.svg"));

  EXPECT_EQ(place.kneepoint({"delete", id}).exit_code, 2) << "without --yes and a terminal";
  EXPECT_TRUE(fs::exists(place.path() + "/runs/" + id));
  EXPECT_EQ(place.kneepoint({"delete", id, "--yes"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(place.path() + "/runs/" + id));
  EXPECT_EQ(answer({"list", "--json"})["studies"].size(), 0U);
}

TEST_F(Commands, ARunCanBeExplainedAndItsOutputRead) {
  const std::string plan = place.write("echo.yaml", echo_plan("t=0.25"));
  ASSERT_EQ(place.kneepoint({"run", plan}).exit_code, 0);
  EXPECT_EQ(place.kneepoint({"logs", "r1"}).output, "t=0.25\n");
  EXPECT_EQ(place.kneepoint({"logs", "echo/r2-a1"}).output, "t=0.25\n");
  const auto nothing = place.kneepoint({"logs", "r1", "--stderr"});
  EXPECT_EQ(nothing.output, "");
  EXPECT_NE(nothing.errors.find("printed nothing to stderr"), std::string::npos) << nothing.errors;
  EXPECT_EQ(place.kneepoint({"logs", "r1", "--attempt", "7"}).exit_code, 2);
  EXPECT_EQ(place.kneepoint({"logs", "r99"}).exit_code, 2);
  EXPECT_EQ(answer({"logs", "r1", "--json"})["text"], "t=0.25\n");

  const auto story = place.kneepoint({"explain", "r1"});
  EXPECT_NE(story.output.find("attempt r1-a1: succeeded"), std::string::npos) << story.output;
  EXPECT_NE(story.output.find("/bin/echo t=0.25"), std::string::npos) << story.output;
  EXPECT_NE(story.output.find("metric: time = 0.25 s"), std::string::npos) << story.output;
  const json told = answer({"explain", "echo/r1", "--json"});
  EXPECT_EQ(told["attempts"][0]["state"], "succeeded");
  EXPECT_EQ(told["point"]["command"], json({"/bin/echo", "t=0.25"}));
  EXPECT_FALSE(told["attempts"][0]["provenance"].empty());
}

TEST_F(Commands, RunAnswersInJsonToo) {
  const json ran = answer(with_site({"run", "--json"}));
  EXPECT_EQ(ran["end"], "finished");
  EXPECT_EQ(ran["runs"], 6);
  EXPECT_EQ(ran["exit_code"], 0);
  EXPECT_EQ(ran["report"]["cases"].size(), 1U);
  EXPECT_EQ(answer(with_site({"run", "--json"}))["end"], "already_finished");
}

TEST_F(Commands, CancellingWhatIsOverSaysSo) {
  ASSERT_EQ(place.kneepoint(with_site({"run"})).exit_code, 0);
  EXPECT_EQ(answer({"cancel", "model", "--json"})["result"], "already_finished");
  EXPECT_EQ(place.kneepoint({"cancel", "nosuch"}).exit_code, 2);
}

TEST_F(Commands, TheCatalogAndTheVersionAreShown) {
  EXPECT_NE(place.kneepoint({"workloads"}).output.find("jacobi3d"), std::string::npos);
  EXPECT_NE(place.kneepoint({"workloads", "jacobi3d"}).output.find("kp-jacobi3d"),
            std::string::npos);
  EXPECT_EQ(place.kneepoint({"workloads", "jacobi3"}).exit_code, 2);
  EXPECT_GE(answer({"workloads", "--json"})["workloads"].size(), 7U);
  EXPECT_FALSE(answer({"version", "--json"})["compiler"].get<std::string>().empty());
  EXPECT_EQ(place.kneepoint({"--version"}).output.find("kneepoint "), 0U);
}

TEST_F(Commands, WithoutADatabaseTheListIsEmptyAndTheRestSaysWhatToDo) {
  EXPECT_EQ(answer({"list", "--json"})["studies"].size(), 0U);
  for (const char* command : {"status", "report", "watch"}) {
    const auto ended = place.kneepoint({command});
    EXPECT_EQ(ended.exit_code, 2) << command;
    EXPECT_NE(ended.errors.find("kneepoint run PLAN"), std::string::npos) << ended.errors;
  }
  EXPECT_FALSE(fs::exists(place.path() + "/kneepoint.db")) << "reading makes no database";
}

TEST_F(Commands, HelpGoesToStdoutAndMistakesToStderr) {
  const auto help = place.kneepoint({"run", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.output.find("Usage: kneepoint run [PLAN]"), 0U) << help.output;
  const auto slip = place.kneepoint({"rnu"});
  EXPECT_EQ(slip.exit_code, 2);
  EXPECT_EQ(slip.output, "");
  EXPECT_EQ(slip.errors.find("kneepoint: unknown command 'rnu'; did you mean 'run'?"), 0U);
}

}  // namespace
}  // namespace kneepoint
