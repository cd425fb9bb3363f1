// SPDX-License-Identifier: Apache-2.0
//
// Rows and header of a pack: there and back, and everything else refused with its line.
#include "orchestrator/pack/pack.h"

#include <gtest/gtest.h>

#include <limits>

namespace kneepoint {
namespace {

const RowTable kTable = {"runs",
                         {"number", "seconds", "name", "size"},
                         {{std::int64_t{1}, 3.0, std::string("a \"b\"\n"), Cell()},
                          {std::numeric_limits<std::int64_t>::min(), 1e-300, std::string(), 0.1}}};

std::string why_not(const std::string& text) {
  const auto read = read_rows(text, "data/runs.ndjson");
  return read ? "" : read.error().message;
}

TEST(PackRows, ComeBackWithTheirTypes) {
  const std::string text = write_rows(kTable);
  EXPECT_EQ(part_name_of(kTable), "data/runs.ndjson");
  EXPECT_NE(text.find("[1,3.0,"), std::string::npos) << text;
  const auto read = read_rows(text, "data/runs.ndjson");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, kTable);
}

TEST(PackRows, WhatIsNoRowIsRefusedWithItsLine) {
  EXPECT_NE(why_not("").find("data/runs.ndjson:1: "), std::string::npos);
  EXPECT_NE(why_not("[\"a\"]\n[1,2]\n").find(":2: expected 1 values"), std::string::npos);
  EXPECT_NE(why_not("[\"a\"]\n[1]").find(":2: the line does not end"), std::string::npos);
  EXPECT_NE(why_not("[\"a\"]\n{}\n").find(":2: expected an array"), std::string::npos);
  EXPECT_NE(why_not("[\"a\"]\n[[1]]\n").find(":2: expected a number"), std::string::npos);
  EXPECT_NE(why_not("[\"a\"]\n[true]\n").find(":2: expected a number"), std::string::npos);
  EXPECT_NE(why_not("[\"a\"]\n[18446744073709551615]\n").find("too large"), std::string::npos);
  EXPECT_NE(why_not("[1]\n").find(":1: expected the names"), std::string::npos);
  EXPECT_NE(why_not("[\"a\"]\nnonsense\n").find(":2: "), std::string::npos);
  EXPECT_FALSE(why_not(std::string(100'000, '[') + "\n").empty());
  EXPECT_FALSE(read_rows("[]\n", "runs.ndjson"));
}

TEST(PackRows, TheHeaderComesBackAndAnotherFormatIsRefused) {
  PackHeader header;
  header.study = "a-00000000-1";
  header.name = "a";
  header.seed = 18446744073709551615ULL;
  header.knee_floor = 0.75;
  header.created_ns = 1'800'000'000'000'000'000;
  header.left_out = {"site.environment.TOKEN"};
  const auto read = read_header(write_header(header));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->study, header.study);
  EXPECT_EQ(read->seed, header.seed);
  EXPECT_EQ(read->created_ns, header.created_ns);
  EXPECT_EQ(read->left_out, header.left_out);
  EXPECT_FALSE(read_header("{}"));
  EXPECT_FALSE(read_header("nonsense"));
  std::string newer = write_header(header);
  newer.replace(newer.find("pack/1"), 6, "pack/2");
  EXPECT_NE(read_header(newer).error().message.find("this kneepoint reads kneepoint.pack/1"),
            std::string::npos);
}

}  // namespace
}  // namespace kneepoint
