// SPDX-License-Identifier: Apache-2.0
//
// Every example line of docs/reference/records.md is a record that the reader takes.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "agents/wire/record.h"

namespace kneepoint::record {
namespace {

TEST(RecordDocumentation, every_example_line_holds_and_every_type_has_one) {
  std::ifstream file(KP_SOURCE_DIR "/docs/reference/records.md");
  ASSERT_TRUE(file.is_open());
  std::set<std::string> types;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("{\"", 0) != 0) continue;
    const Decoded decoded = decode_line(line, line.rfind("{\"v\":", 0) == 0);
    EXPECT_EQ(decoded.problem, "") << line;
    types.insert(decoded.type);
  }
  EXPECT_EQ(types, (std::set<std::string>{"begin", "check", "done", "end", "failure", "metric",
                                          "operation", "profile", "provenance", "rank", "sample"}));
}

}  // namespace
}  // namespace kneepoint::record
