// SPDX-License-Identifier: Apache-2.0
//
// Manual pages in roff, written from the commands' descriptions as the help texts are. Pure. groff
// and mandoc take them without a warning; tests/packages asks both.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/cli/command.h"

namespace kneepoint::cli {

// kneepoint(1).
std::string main_man_page(const std::vector<CommandSpec>& commands);
// kneepoint-COMMAND(1).
std::string man_page(const CommandSpec& command);
// "kneepoint-run.1"; of no command "kneepoint.1".
std::string man_page_file(const std::string& command);

}  // namespace kneepoint::cli
