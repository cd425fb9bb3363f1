// SPDX-License-Identifier: Apache-2.0
//
// What the golden files can't show: odd names, narrow terminals, colour that is only colour.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

#include "orchestrator/report/document.h"
#include "orchestrator/report/text.h"
#include "tests/unit/analysis/evidence_builder.h"
#include "tests/unit/report/full_analysis.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

void expect_within(const Document& document, int width) {
  std::istringstream lines(to_terminal(document, {false, width}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
  }
}

TEST(Terminal, KeepsToTheWidthFrom80ColumnsOn) {
  for (const int width : {80, 90, 100, 132, 200}) {
    for (const StudyEvidence& study : {sample_study(), study_without_baseline()}) {
      expect_within(make_document(study), width);
    }
    expect_within(full_document(), width);
  }
}

TEST(Terminal, ColourAddsNothingButColour) {
  const Document document = make_document(sample_study());
  const std::string coloured = to_terminal(document, {true, 100});
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""),
            to_terminal(document, {false, 100}));
}

TEST(Terminal, NamesCannotSteerIt) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0}, "evil\x1b[2J");
  b.study.id = "x\x1b]0;title\x07";
  EXPECT_EQ(to_terminal(make_document(b.study), {}).find('\x1b'), std::string::npos);
}

TEST(Terminal, NothingOfADetailCanSteerIt) {
  const StudyEvidence study = full_study();
  StudyAnalysis analysis = full_analysis(study);
  const std::string evil = "evil\x1b[2J\x07";
  CurveAnalysis& curve = analysis.curves[0];
  curve.warnings = {{WarningCode::equal_times, evil}};
  curve.points[2].stragglers[0].sentence = evil;
  analysis.shapes[0].entries[0].winner = evil;
  analysis.shapes[0].case_name = evil;
  analysis.collectives[0].case_name = evil;
  const std::string text = to_terminal(make_document(study, std::move(analysis)), {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_NE(text.find("evil?[2J?"), std::string::npos);
}

TEST(Terminal, TheBriefFormLeavesOutTheDetailsOnly) {
  const std::string brief = to_terminal(full_document(), {false, 100, true});
  const std::string all = to_terminal(full_document(), {false, 100});
  for (const char* part : {"use K=4 for", "1. What is the serial fraction?", "the knee is K=6.2",
                           "jacobi, weak (", "Notes"}) {
    EXPECT_NE(brief.find(part), std::string::npos) << part;
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
  for (const char* part :
       {"Models, best first", "Knees by every rule", "Predictions", "Where the time goes",
        "Iterations", "Roofline", "Audit of E > 1", "Up or out", "Collectives", "Warnings"}) {
    EXPECT_EQ(brief.find(part), std::string::npos) << part;
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
}

TEST(Terminal, OneRunShowsADashWhereTheIntervalWouldBe) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0});
  b.add(Mode::strong, 2, {0.5});
  const std::string text = to_terminal(make_document(b.study), {});
  EXPECT_NE(text.find("500.0 [-]"), std::string::npos) << text;
  EXPECT_NE(text.find("1.000 [-]"), std::string::npos) << text;
}

TEST(Markdown, NamesCannotAddColumnsOrLinks) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0}, "a|b[x](http://y)*_`<");
  const std::string text = to_markdown(make_document(b.study));
  EXPECT_NE(text.find("a\\|b[x\\](http://y)\\*\\_\\`\\<"), std::string::npos) << text;
}

// Splits one RFC 4180 record into its fields.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

TEST(Csv, EveryRowHasTheHeadersFields) {
  EvidenceBuilder b;
  b.add(Mode::strong, 1, {1.0}, "comma, \"quote\"");
  auto& failed = b.add(Mode::strong, 2, {}, "comma, \"quote\"");
  b.add_run(failed, failed_run(AttemptState::failed, Reason::oom));
  std::istringstream lines(to_csv(make_document(b.study)));
  std::string line;
  std::getline(lines, line);
  ASSERT_EQ(line.back(), '\r');
  line.pop_back();
  const std::vector<std::string> header = fields_of(line);
  int rows = 0;
  std::vector<std::string> last;
  while (std::getline(lines, line)) {
    ASSERT_EQ(line.back(), '\r');
    line.pop_back();
    last = fields_of(line);
    ASSERT_EQ(last.size(), header.size()) << line;
    EXPECT_EQ(last[2], "comma, \"quote\"");
    ++rows;
  }
  EXPECT_EQ(rows, 2);
  const auto column = [&](const std::string& name) {
    return last[std::find(header.begin(), header.end(), name) - header.begin()];
  };
  EXPECT_EQ(column("seconds"), "") << "a number that does not exist is an empty field";
  EXPECT_EQ(column("runs_failed"), "1");
  EXPECT_EQ(column("flags"), "the only repeat failed");
}

}  // namespace
}  // namespace kneepoint
