// SPDX-License-Identifier: Apache-2.0
//
// Whole reports, byte by byte. When a change is meant, run the test program once with
// KNEEPOINT_WRITE_GOLDEN=1 and read the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "orchestrator/report/document.h"
#include "tests/unit/report/full_analysis.h"
#include "tests/unit/report/sample_study.h"

namespace kneepoint {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(KP_SOURCE_DIR) + "/tests/golden/report/" + name;
  if (std::getenv("KNEEPOINT_WRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " can't be read";
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << name;
}

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

// Core-hours with a fee per hour, billed by the second: the cheapest K is not the smallest.
Document priced_sample() {
  PriceBook book;
  book.path = "prices.yaml";
  book.currency = "EUR";
  book.valid_from = "2026-01-01";
  book.source = "a contract";
  book.example = true;
  PriceItem item;
  item.name = "cores";
  item.per_core_hour = 40'000;
  item.per_hour = 250'000;
  item.granularity = kSecond;
  BootstrapOptions bootstrap;
  bootstrap.seed = 1;
  bootstrap.replicates = 200;
  Document document = make_document(sample_study());
  add_cost(document, make_cost_report(document.study, document.analysis, book, item, bootstrap));
  return document;
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

TEST(GoldenReport, EveryDetailInCsv) {
  expect_golden("full.csv", to_csv(full_document()));
}

}  // namespace
}  // namespace kneepoint
