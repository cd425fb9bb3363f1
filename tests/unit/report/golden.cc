// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/report/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/unit/report/sample_study.h"

namespace kneepoint {

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

void add_example_prices(Document& document, int replicates) {
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
  bootstrap.replicates = replicates;
  add_cost(document,
           make_cost_report(document.analysis, {book, item},
                            cost_curves(document.study, document.analysis, book, item, bootstrap)));
}

Document priced_sample() {
  Document document = make_document(sample_study());
  add_example_prices(document, 200);
  return document;
}

}  // namespace kneepoint
