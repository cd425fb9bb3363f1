// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Completion, EveryCommandAndFlagIsInEveryScript) {
  const std::string bash = bash_completion(all_commands());
  const std::string zsh = zsh_completion(all_commands());
  const std::string fish = fish_completion(all_commands());
  for (const CommandSpec& command : all_commands()) {
    EXPECT_TRUE(contains(bash, "    " + command.name + ")\n")) << command.name;
    EXPECT_TRUE(contains(zsh, "'" + command.name + ":")) << command.name;
    EXPECT_TRUE(contains(fish, "-a " + command.name + " -d ")) << command.name;
    std::vector<Flag> flags = command.flags;
    flags.insert(flags.end(), global_flags().begin(), global_flags().end());
    for (const Flag& flag : flags) {
      EXPECT_TRUE(contains(bash, flag.name)) << command.name << " " << flag.name;
      EXPECT_TRUE(contains(zsh, "'" + flag.name + "[")) << command.name << " " << flag.name;
      EXPECT_TRUE(contains(fish, " -l " + flag.name.substr(2))) << command.name << " " << flag.name;
    }
  }
}

TEST(Completion, ChoicesAndStudiesAreOffered) {
  const std::string bash = bash_completion(all_commands());
  EXPECT_TRUE(contains(bash, "bash zsh fish"));
  EXPECT_TRUE(contains(bash, "kneepoint list --quiet"));
  EXPECT_TRUE(contains(zsh_completion(all_commands()), "1::STUDY:_kneepoint_studies"));
  EXPECT_TRUE(contains(fish_completion(all_commands()), "(kneepoint list --quiet 2>/dev/null)"));
}

// A file of fpath is the body of the function on its first call, and must complete then.
TEST(Completion, OfZshWorksSourcedAndAsAFileOfTheFunctionPath) {
  const std::string zsh = zsh_completion(all_commands());
  EXPECT_TRUE(zsh.starts_with("#compdef kneepoint\n"));
  EXPECT_TRUE(contains(zsh, "if [[ ${funcstack[1]} == _kneepoint ]]; then\n  _kneepoint \"$@\"\n"));
  EXPECT_TRUE(contains(zsh, "else\n  compdef _kneepoint kneepoint\nfi\n"));
}

TEST(Completion, AQuoteInAHelpTextEndsNoString) {
  const CommandSpec odd{"odd", "it's odd", "", {}, {{"--flag", "", "don't"}}, {}, nullptr};
  for (const std::string& script : {zsh_completion({odd}), fish_completion({odd})}) {
    EXPECT_FALSE(contains(script, "it's")) << script;
    EXPECT_FALSE(contains(script, "don't")) << script;
  }
}

}  // namespace
}  // namespace kneepoint::cli
