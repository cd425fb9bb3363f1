// SPDX-License-Identifier: Apache-2.0
//
// From argv to a command and its arguments. CLI11 stays inside command_line.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {

struct ParsedLine {
  const CommandSpec* command = nullptr;      // null: nothing to do but to print `answer`
  std::map<std::string, std::string> given;  // by the names of flags and positionals
  std::map<std::string, std::string> global;
  std::string answer;  // help text
};

// `words` without the program's name. Errors say what to type instead.
Result<ParsedLine> parse_command_line(const std::vector<std::string>& words,
                                      const std::vector<CommandSpec>& commands);

}  // namespace kneepoint::cli
