// SPDX-License-Identifier: Apache-2.0
//
// Tables mangled by a seeded hand: whatever the bytes, the reader gives either runs with usable
// times or problems that name the file, never both. The seed of a failure is in its message.
#include <gtest/gtest.h>

#include <cmath>

#include "orchestrator/base/random.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
namespace {

constexpr int kTableRounds = 20000;

const std::vector<std::string> kTables = {
    "K,T\n1,100\n2,52.5\n4,28\n",
    "# slide\nmode;gpus;time (ms);repeat;cost\nstrong;8;1234.5;1;$3\nweak;8;2.5;2;4\n",
    "case\tnodes\tranks\tefficiency\tsize\ta\n\"x \"\"y\"\"\"\t1\t4\t80%\t100\tz\n",
};
const std::vector<std::string> kTablePieces = {
    ",",   ";",         "\t",   "\n",           "\r",          "\"",         "#",
    "nan", "inf",       "-",    "1e400",        "0",           "%",          "K",
    "T",   "speedup",   "s",    " ms",          ":",           "1:2:3",      "1,234",
    "'",   "\xC2\xB5s", "\xFF", "\xEF\xBB\xBF", "99999999999", "1-00:00:01", "()",
    "[s]", "_"};

std::string mangled(std::string text, Random& random) {
  const auto changes = 1 + random.below(5);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    if (random.below(3) == 0) {
      text.erase(at, random.below(8));
    } else {
      text.insert(at, kTablePieces[random.below(kTablePieces.size())]);
    }
  }
  return text;
}

TEST(TableFuzz, EveryTableIsReadOrRefused) {
  int read = 0;
  for (int round = 0; round < kTableRounds; ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const std::string text = mangled(kTables[random.below(kTables.size())], random);
    const ReadTable out = read_table(text, "t.csv", {});
    ASSERT_NE(out.problems.empty(), out.table.runs.empty()) << "seed " << round << "\n" << text;
    for (const Problem& problem : out.problems) ASSERT_EQ(problem.file, "t.csv");
    for (const TableRun& run : out.table.runs) {
      ASSERT_TRUE(run.seconds > 0 && std::isfinite(run.seconds)) << "seed " << round;
      ASSERT_LT(run.point, out.table.points.size()) << "seed " << round;
    }
    if (out.table.runs.empty()) continue;
    ++read;
    const TableStudy study = make_table_study(out.table, {}, {.study = "x", .sha256 = "0"});
    ASSERT_EQ(study.study.points.size(), out.table.points.size()) << "seed " << round;
  }
  EXPECT_GT(read, kTableRounds / 20) << "the hand is too heavy: nothing is read any more";
}

}  // namespace
}  // namespace kneepoint
