// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/cli.md holds the help texts word for word: a flag can't be added without docs.
#include <gtest/gtest.h>

#include "orchestrator/base/files.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {
namespace {

std::string reference() {
  const auto text = read_file("reference", KP_SOURCE_DIR "/docs/reference/cli.md");
  return text ? *text : "";
}

TEST(Reference, HoldsTheHelpTextOfEveryCommandWordForWord) {
  const std::string text = reference();
  ASSERT_FALSE(text.empty()) << "docs/reference/cli.md is missing";
  EXPECT_NE(text.find("```text\n" + main_help_text() + "```\n"), std::string::npos)
      << "paste the output of 'kneepoint --help' into docs/reference/cli.md";
  for (const CommandSpec& command : all_commands()) {
    EXPECT_NE(text.find("\n## kneepoint " + command.name + "\n"), std::string::npos)
        << command.name << " has no section in docs/reference/cli.md";
    EXPECT_NE(text.find("```text\n" + help_text(command) + "```\n"), std::string::npos)
        << "paste the output of 'kneepoint " << command.name
        << " --help' into docs/reference/cli.md:\n"
        << help_text(command);
  }
}

TEST(Reference, DescribesNoCommandThatIsNotThere) {
  const std::string text = reference();
  const std::string opening = "\n## kneepoint ";
  for (std::size_t at = text.find(opening); at != std::string::npos;
       at = text.find(opening, at + 1)) {
    const std::size_t begin = at + opening.size();
    const std::string name = text.substr(begin, text.find('\n', begin) - begin);
    bool known = false;
    for (const CommandSpec& command : all_commands()) known |= command.name == name;
    EXPECT_TRUE(known) << name;
  }
}

}  // namespace
}  // namespace kneepoint::cli
