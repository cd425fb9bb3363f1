// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/shell/command.h"

#include <gtest/gtest.h>

namespace kneepoint::cli {
namespace {

Result<ParsedLine> parse(const std::vector<std::string>& words) {
  return parse_command_line(words, all_commands());
}

std::string refusal(const std::vector<std::string>& words) {
  const auto line = parse(words);
  return line ? "accepted" : line.error().message;
}

TEST(CommandLine, GivesTheCommandItsArgumentsByName) {
  const auto line =
      parse({"run", "plan.yaml", "--site", "site.yaml", "--new", "--concurrent", "4"});
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line->command->name, "run");
  const Arguments arguments(line->given);
  EXPECT_EQ(arguments.text("PLAN"), "plan.yaml");
  EXPECT_EQ(arguments.text("--site"), "site.yaml");
  EXPECT_TRUE(arguments.has("--new"));
  EXPECT_FALSE(arguments.has("--detach"));
  EXPECT_EQ(arguments.count("--concurrent"), 4);
}

TEST(CommandLine, GlobalFlagsMayStandBeforeAndAfterTheCommand) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"--db", "x.db", "--json", "list"},
                                                                 {"list", "--db=x.db", "--json"}}) {
    const auto line = parse(words);
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->global.at("--db"), "x.db");
    EXPECT_EQ(line->global.count("--json"), 1U);
  }
}

TEST(CommandLine, AStudyMayBeNamedLikeACommand) {
  for (const CommandSpec& command : all_commands()) {
    const auto line = parse({"status", command.name});
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->command->name, "status");
    EXPECT_EQ(line->given.at("STUDY"), command.name);
  }
}

TEST(CommandLine, HelpIsAnsweredForEveryCommandWhateverElseIsMissing) {
  for (const CommandSpec& command : all_commands()) {
    const auto asked = std::vector<std::vector<std::string>>{
        {command.name, "--help"}, {command.name, "-h"}, {"help", command.name}};
    for (const auto& words : asked) {
      const auto line = parse(words);
      ASSERT_TRUE(line) << line.error().message;
      EXPECT_EQ(line->command, nullptr);
      EXPECT_EQ(line->answer, help_text(command));
    }
  }
  EXPECT_EQ(parse({"--help"})->answer, main_help_text());
  EXPECT_EQ(parse({"help"})->answer, main_help_text());
}

TEST(CommandLine, EveryCommandHasAnExampleAndASummaryThatFits) {
  for (const CommandSpec& command : all_commands()) {
    ASSERT_FALSE(command.examples.empty()) << command.name;
    EXPECT_NE(command.examples.front().find("kneepoint " + command.name), std::string::npos);
    EXPECT_LE(command.summary.size(), 60U) << command.name;
    EXPECT_NE(main_help_text().find("  " + command.name), std::string::npos);
  }
}

TEST(CommandLine, SlipsAreAnsweredWithTheNearestWord) {
  EXPECT_EQ(refusal({"chekc", "plan.yaml"}),
            "unknown command 'chekc'; did you mean 'check'? See 'kneepoint --help'");
  EXPECT_EQ(refusal({"run", "plan.yaml", "--detatch"}),
            "unknown flag --detatch; did you mean '--detach'? See 'kneepoint run --help'");
  EXPECT_EQ(refusal({"frobnicate"}), "unknown command 'frobnicate'; see 'kneepoint --help'");
  EXPECT_EQ(refusal({"plans/my.yaml"}),
            "'plans/my.yaml' is no command; a plan is run with 'kneepoint run plans/my.yaml'; see "
            "'kneepoint --help'");
}

TEST(CommandLine, WhatIsMissingOrTooMuchIsNamed) {
  EXPECT_EQ(refusal({}), "a command is missing; see 'kneepoint --help'");
  EXPECT_EQ(refusal({"--json"}), "a command is missing; see 'kneepoint --help'");
  EXPECT_EQ(refusal({"check"}), "check: PLAN is required; see 'kneepoint check --help'");
  EXPECT_EQ(refusal({"status", "a", "b"}),
            "status: one argument too many: 'b'; see 'kneepoint status --help'");
  EXPECT_NE(refusal({"check", "plan.yaml", "--site"}).find("--site"), std::string::npos);
}

TEST(CommandLine, CountsAndChoicesAreChecked) {
  for (const char* bad : {"0", "-1", "many", "1.5", "99999999999"}) {
    EXPECT_NE(refusal({"run", "p", "--concurrent", bad}).find("a whole number of at least 1"),
              std::string::npos)
        << bad;
  }
  EXPECT_NE(refusal({"completion", "tcsh"}).find("'tcsh' is none of bash, zsh, fish"),
            std::string::npos);
  EXPECT_NE(refusal({"list", "--log-level", "loud"}).find("debug, info, warning, error"),
            std::string::npos);
}

TEST(CommandLine, ErrorsHaveTheExitCodesOfTheReference) {
  EXPECT_EQ(exit_code_of({ErrorCode::invalid, ""}), 2);
  EXPECT_EQ(exit_code_of({ErrorCode::not_found, ""}), 2);
  EXPECT_EQ(exit_code_of({ErrorCode::conflict, ""}), 2);
  EXPECT_EQ(exit_code_of({ErrorCode::unavailable, ""}), 3);
  EXPECT_EQ(exit_code_of({ErrorCode::timeout, ""}), 3);
  EXPECT_EQ(exit_code_of({ErrorCode::interrupted, ""}), 130);
}

}  // namespace
}  // namespace kneepoint::cli
