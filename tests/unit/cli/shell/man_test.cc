// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {
namespace {

std::string roff(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

TEST(ManPage, EveryFlagOfACommandIsInItsPage) {
  for (const CommandSpec& command : all_commands()) {
    const std::string page = man_page(command);
    std::vector<Flag> flags = command.flags;
    flags.insert(flags.end(), global_flags().begin(), global_flags().end());
    for (const Flag& flag : flags) {
      EXPECT_NE(page.find(".TP\n\\fB" + roff(flag.name) + "\\fR"), std::string::npos)
          << command.name << " " << flag.name;
    }
  }
}

TEST(ManPage, TheFirstPageNamesEveryOther) {
  const std::string page = main_man_page(all_commands());
  for (const CommandSpec& command : all_commands()) {
    EXPECT_NE(page.find("\\fB" + roff("kneepoint-" + command.name) + "\\fR(1)"), std::string::npos)
        << command.name;
  }
}

// Requests begin with a dot or a quote; a text that does so would be one.
TEST(ManPage, NoTextBecomesARequest) {
  std::vector<std::string> pages = {main_man_page(all_commands())};
  for (const CommandSpec& command : all_commands()) pages.push_back(man_page(command));
  const std::vector<std::string> known = {".TH", ".SH", ".TP", ".PP", ".EX", ".EE"};
  for (const std::string& page : pages) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.empty());
      for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
      if (line[0] != '.' && line[0] != '\'') continue;
      EXPECT_NE(std::find(known.begin(), known.end(), line.substr(0, 3)), known.end()) << line;
    }
  }
}

TEST(ManPage, SignsThatRoffWouldChangeStayWhatTheyAre) {
  const CommandSpec odd{"odd", "it's", ".dot \\n `use:` ~/x^2", {}, {}, {"'quoted'"}, nullptr};
  const std::string page = man_page(odd);
  EXPECT_NE(page.find("\\&.dot \\en \\(gause:\\(ga \\(ti/x\\(ha2\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\\- it\\(aqs\n"), std::string::npos) << page;
  EXPECT_NE(page.find(".EX\n\\(aqquoted\\(aq\n.EE\n"), std::string::npos) << page;
}

TEST(ManPage, FilesAreNamedAsManLooksForThem) {
  EXPECT_EQ(man_page_file(""), "kneepoint.1");
  EXPECT_EQ(man_page_file("run"), "kneepoint-run.1");
}

}  // namespace
}  // namespace kneepoint::cli
