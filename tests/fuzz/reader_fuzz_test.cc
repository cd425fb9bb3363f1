// SPDX-License-Identifier: Apache-2.0
//
// Shipped plans and broken ones, mangled by a seeded hand: whatever the bytes, the readers answer
// in bounded time with a plan or with problems that have a place in the file. Bounded; the seed of
// a failure is in its message.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/base/random.h"
#include "orchestrator/plan/plan/matrix.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {
namespace {

constexpr int kRounds = 4000;

std::vector<std::string> seeds() {
  std::vector<std::string> paths;
  for (const char* folder : {"/plans", "/plans/sites", "/tests/golden/plans"}) {
    for (const auto& file :
         std::filesystem::directory_iterator(KP_SOURCE_DIR + std::string(folder))) {
      if (file.path().extension() == ".yaml") paths.push_back(file.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Pieces that mean something to YAML, to formulas or to the readers.
const std::vector<std::string> kPieces = {
    "\n",   ": ",   "- ",   "[",      "]",     "{",     "}",     "&a ",    "*a",  "!!int ", "\"",
    "'",    "|\n",  ">\n",  "#",      "\t",    "---\n", "...\n", "%YAML ", "? ",  "<<: ",   "~",
    "0",    "-1",   "1e99", "999999", "K^K^K", "1/0",   "(",     ")",      "{K}", "{{",     "%",
    "\xC3", "\xFF", "\x04", "site",   "null",  "20m",   "2%",    "\r",     ",",   "mod(",   "^"};

std::string mangled(std::string text, const std::vector<std::string>& all, Random& random) {
  const auto changes = 1 + random.below(random.below(2) == 0 ? 2 : 6);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(6)) {
      case 0:
        text.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      case 1:
        text.erase(at, random.below(20));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 3:  // another number
        if (const std::size_t digit = text.find_first_of("0123456789", at); digit < text.size()) {
          text[digit] = static_cast<char>('0' + random.below(10));
        }
        break;
      case 4: {  // a piece of this file again, elsewhere
        const std::string piece = text.substr(random.below(text.size() + 1), random.below(60));
        text.insert(at, piece);
        break;
      }
      default: {  // a piece of another file
        const std::string& other = all[random.below(all.size())];
        text.insert(at, other.substr(random.below(other.size() + 1), random.below(120)));
      }
    }
  }
  return text;
}

void expect_placed(const std::vector<Problem>& problems, const std::string& text, int round) {
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  for (const Problem& problem : problems) {
    EXPECT_FALSE(problem.message.empty()) << "round " << round;
    EXPECT_GE(problem.line, 0) << "round " << round << ": " << to_string(problem);
    EXPECT_LE(problem.line, lines + 1) << "round " << round << ": " << to_string(problem);
  }
}

TEST(Readers, AnswerToAnyBytes) {
  const std::vector<std::string> all = seeds();
  ASSERT_GE(all.size(), 30u);
  Random random(20261116, "reader fuzz");
  Site site;
  site.backend = BackendKind::simulated;
  int good = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = mangled(all[random.below(all.size())], all, random);
    const SiteRead site_read = read_site(text, "f.yaml");
    expect_placed(site_read.problems, text, round);
    const PlanRead read = read_plan(text, "f.yaml", built_in_catalog());
    expect_placed(read.problems, text, round);
    if (!read.problems.empty()) continue;
    ++good;
    const Expanded expanded = expand(read.plan, site, {64, 64, 4}, "bin");
    EXPECT_TRUE(!expanded.problems.empty() || !expanded.study.points.empty()) << "round " << round;
    for (const Point& point : expanded.study.points) {
      EXPECT_GE(point.k, 1) << "round " << round;
      EXPECT_FALSE(point.command.argv.empty()) << "round " << round;
      EXPECT_FALSE(point.held_fixed.empty()) << "round " << round;
    }
  }
  EXPECT_GT(good, kRounds / 100) << "some mangled plans must still be good, or expand sees nothing";
}

}  // namespace
}  // namespace kneepoint
