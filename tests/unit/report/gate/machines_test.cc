// SPDX-License-Identifier: Apache-2.0
//
// A name that a plan could hold stays a name in every form that machines read.
#include "orchestrator/report/gate/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/unit/analysis/nights.h"

namespace kneepoint {
namespace {

const std::string kHostile = "a\"b\\c,d:e%f|g`h<i>&\n::error::j\r]]>";

// Twelve quiet nights and two that are slower at every point.
GateReport regressed_report(const std::string& name = "work", int points = 4) {
  GateReport report;
  NightMaker nights(7, {0.005, 0.002, 0.002}, points);
  report.series = "nightly-1a2b3c4d";
  report.study = report.series + "-14";
  report.history.series = nights.series(11);
  for (int i = 0; i < 2; ++i) {
    nights.add_night(report.history.series, [](int) { return 1.2; });
  }
  for (GateSeries& one : report.history.series) {
    one.curve = name + one.curve.substr(4);
    one.key = name + "/" + one.key;
  }
  const std::size_t count = report.history.series.front().log_medians.size();
  for (std::size_t night = 0; night < count; ++night) {
    report.history.nights.push_back(report.series + "-" + std::to_string(night + 1));
    report.history.builds.emplace_back("");
  }
  report.history.parts.resize(report.history.series.size(), std::vector<NightParts>(count));
  report.answer = gate(report.history.series, report.options);
  explain(report.history, report.answer);
  return report;
}

GateReport quiet_report() {
  GateReport report = regressed_report();
  for (GateSeries& one : report.history.series) {
    one.log_medians.resize(12);
  }
  report.history.nights.resize(12);
  report.answer = gate(report.history.series, report.options);
  explain(report.history, report.answer);
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(GateAnnotations, AreErrorsForARegressionAndNoticesForAQuietNight) {
  const GateReport report = regressed_report();
  ASSERT_EQ(report.answer.verdict, Verdict::regressed) << report.answer.why;
  const auto lines = lines_of(gate_annotations(report));
  EXPECT_EQ(lines.size(), 7u);  // the verdict, two curves, four points
  EXPECT_EQ(lines[0].rfind("::error title=kneepoint REGRESSED nightly-1a2b3c4d::REGRESSED", 0), 0u)
      << lines[0];
  EXPECT_NE(lines[1].find("work strong (all 2 K): T is 1."), std::string::npos) << lines[1];
  const auto quiet = lines_of(gate_annotations(quiet_report()));
  ASSERT_EQ(quiet.size(), 1u);
  EXPECT_EQ(quiet[0].rfind("::notice title=kneepoint PASS", 0), 0u) << quiet[0];
}

TEST(GateAnnotations, OfAHostileNameStayOneCommandALine) {
  GateReport report = regressed_report(kHostile);
  report.series = kHostile;
  for (const std::string& line : lines_of(gate_annotations(report))) {
    EXPECT_EQ(line.rfind("::error title=", 0), 0u) << line;
    const std::string title = line.substr(8, line.find("::", 2) - 8);
    EXPECT_EQ(title.find_first_of(",:\r\n"), std::string::npos) << line;
    EXPECT_EQ(line.find('\r'), std::string::npos) << line;
    EXPECT_NE(line.find("%25f"), std::string::npos) << line;
  }
}

TEST(GateAnnotations, AreNeverMoreThanAPageShows) {
  const auto lines = lines_of(gate_annotations(regressed_report("work", 32)));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(lines.back().ends_with("::and 26 more")) << lines.back();
}

TEST(GatePrometheus, EveryLineIsOfTheTextFormatAndMetricsAreInOnePiece) {
  const std::regex sample(
      R"re([a-z_]+\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\} -?[0-9.e+-]+)re");
  std::vector<std::string> seen;
  GateReport report = regressed_report(kHostile);
  report.series = kHostile;
  for (const std::string& line : lines_of(gate_prometheus(report, 1'700'000'000 * kSecond))) {
    if (line.rfind("# HELP ", 0) == 0) {
      const std::string name = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_EQ(std::count(seen.begin(), seen.end(), name), 0) << name << " is there twice";
      seen.push_back(name);
    } else if (line.rfind("# TYPE ", 0) == 0) {
      EXPECT_EQ(line, "# TYPE " + seen.back() + " gauge");
    } else {
      EXPECT_TRUE(std::regex_match(line, sample)) << line;
      EXPECT_EQ(line.rfind(seen.back() + "{", 0), 0u) << line;
    }
  }
  EXPECT_EQ(seen.size(), 15u);
}

TEST(GatePrometheus, SaysTheVerdictTheRatiosAndWhenItWas) {
  const std::string text = gate_prometheus(regressed_report(), 1'700'000'000 * kSecond + 5);
  const auto has = [&](const std::string& line) {
    EXPECT_NE(text.find("\n" + line), std::string::npos) << line << " in\n" << text;
  };
  has("kneepoint_gate_verdict{series=\"nightly-1a2b3c4d\",verdict=\"REGRESSED\"} 1\n");
  has("kneepoint_gate_verdict{series=\"nightly-1a2b3c4d\",verdict=\"PASS\"} 0\n");
  has("kneepoint_gate_judged_timestamp_seconds{series=\"nightly-1a2b3c4d\"} 1700000000\n");
  has("kneepoint_gate_curve_ratio{series=\"nightly-1a2b3c4d\",curve=\"work strong\"} 1.");
  has("kneepoint_gate_curve_slower{series=\"nightly-1a2b3c4d\",curve=\"work strong\"} 1\n");
  has("kneepoint_gate_point_seconds{series=\"nightly-1a2b3c4d\",point=\"work/work strong K=1\","
      "curve=\"work strong\",k=\"1\"} 1.");
}

TEST(GateAnnotations, NameARunThatFailed) {
  GateReport report = quiet_report();
  report.answer.verdict = Verdict::failed;
  report.answer.why = "a run failed";
  report.history.failed = {"default/app/strong/K=4"};
  const auto lines = lines_of(gate_annotations(report));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[1].ends_with("::default/app/strong/K=4: a run failed.")) << lines[1];
}

TEST(GateJunit, CountsWhatItHoldsAndEscapesIt) {
  const std::string text = gate_junit(regressed_report(kHostile));
  EXPECT_NE(text.find("tests=\"7\" failures=\"7\" errors=\"0\" skipped=\"0\" time=\"0\">"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("]]>"), std::string::npos) << text;
  EXPECT_NE(text.find("<failure type=\"REGRESSED\" message=\"a&quot;b\\c,d:e%f|g`h&lt;i&gt;&amp;"),
            std::string::npos)
      << text;
  GateReport young = regressed_report();
  for (GateSeries& one : young.history.series) {
    one.log_medians.erase(one.log_medians.begin(), one.log_medians.begin() + 10);
  }
  young.answer = gate(young.history.series, young.options);
  EXPECT_NE(gate_junit(young).find("tests=\"7\" failures=\"0\" errors=\"0\" skipped=\"6\""),
            std::string::npos)
      << gate_junit(young);
}

TEST(GateMarkdown, OfAHostileNameKeepsItsTable) {
  const std::string text = gate_markdown(regressed_report(kHostile));
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("| a", 0) != 0) continue;
    int columns = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      columns += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    EXPECT_EQ(columns, 5) << line;
  }
  EXPECT_EQ(text.find("<i>"), text.find("\\<i>") + 1) << text;
}

}  // namespace
}  // namespace kneepoint
