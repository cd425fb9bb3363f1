// SPDX-License-Identifier: Apache-2.0
//
// Whole reports, byte by byte.
#include <gtest/gtest.h>

#include "orchestrator/report/document.h"
#include "orchestrator/report/html/html.h"
#include "tests/unit/report/full_analysis.h"
#include "tests/unit/report/golden.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

TEST(GoldenReport, TerminalAt100Columns) {
  expect_golden("sample.terminal.txt", to_terminal(make_document(sample_study()), {false, 100}));
}

TEST(GoldenReport, TerminalAt80Columns) {
  expect_golden("sample.terminal80.txt", to_terminal(make_document(sample_study()), {false, 80}));
}

TEST(GoldenReport, TerminalInColour) {
  expect_golden("sample.colour.txt", to_terminal(make_document(sample_study()), {true, 120}));
}

TEST(GoldenReport, Markdown) {
  expect_golden("sample.md", to_markdown(make_document(sample_study())));
}

TEST(GoldenReport, Json) {
  expect_golden("sample.json", to_json(make_document(sample_study())));
}

TEST(GoldenReport, Csv) {
  expect_golden("sample.csv", to_csv(make_document(sample_study())));
}

TEST(GoldenReport, TerminalOfAStudyWithoutItsBaseline) {
  expect_golden("no_baseline.terminal.txt",
                to_terminal(make_document(study_without_baseline()), {false, 100}));
}

TEST(GoldenReport, MarkdownOfAStudyWithoutItsBaseline) {
  expect_golden("no_baseline.md", to_markdown(make_document(study_without_baseline())));
}

TEST(GoldenReport, PricesInATerminal) {
  expect_golden("priced.terminal.txt", to_terminal(priced_sample(), {false, 100}));
}

TEST(GoldenReport, PricesInMarkdown) {
  expect_golden("priced.md", to_markdown(priced_sample()));
}

TEST(GoldenReport, PricesInJson) {
  expect_golden("priced.json", to_json(priced_sample()));
}

TEST(GoldenReport, PricesInCsv) {
  expect_golden("priced.csv", to_csv(priced_sample()));
}

TEST(GoldenReport, TheBriefFormInATerminal) {
  expect_golden("sample.brief.txt", to_terminal(make_document(sample_study()), {false, 100, true}));
}

TEST(GoldenReport, EveryDetailAt80Columns) {
  expect_golden("full.terminal80.txt", to_terminal(full_document(), {false, 80}));
}

TEST(GoldenReport, EveryDetailAt120Columns) {
  expect_golden("full.terminal120.txt", to_terminal(full_document(), {false, 120}));
}

TEST(GoldenReport, EveryDetailInMarkdown) {
  expect_golden("full.md", to_markdown(full_document()));
}

TEST(GoldenReport, EveryDetailInJson) {
  expect_golden("full.json", to_json(full_document()));
}

TEST(GoldenReport, EveryDetailAsAPage) {
  expect_golden("full.html", to_html(full_document(), {.web = {}}));
}

TEST(GoldenReport, PricesAsAPage) {
  expect_golden("priced.html", to_html(priced_sample(), {.web = {}}));
}

TEST(GoldenReport, TerminalWithoutUnicode) {
  expect_golden("sample.ascii.txt",
                to_terminal(make_document(sample_study()), {false, 100, false, false}));
}

TEST(GoldenReport, EveryDetailInCsv) {
  expect_golden("full.csv", to_csv(full_document()));
}

}  // namespace
}  // namespace kneepoint
