// SPDX-License-Identifier: Apache-2.0
//
// Completion scripts, written from the commands' descriptions. Pure. Studies and workloads are
// asked for when the user presses Tab.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/cli/command.h"

namespace kneepoint::cli {

std::string bash_completion(const std::vector<CommandSpec>& commands);
std::string zsh_completion(const std::vector<CommandSpec>& commands);
std::string fish_completion(const std::vector<CommandSpec>& commands);

}  // namespace kneepoint::cli
