// SPDX-License-Identifier: Apache-2.0
//
// Asks a program something: starts it, reads what it prints, ends it when it takes too long. Only
// between steps, when the agent has no other child.
#pragma once

#include <string>
#include <vector>

#include "agents/agent/supervise/child.h"

namespace kneepoint::agent {

// What it printed on stdout until its end or the limit, 64 KiB at most; "" if it can't be started.
std::string ask_program(const std::vector<std::string>& argv, const Environment& additions,
                        Nanoseconds limit);

}  // namespace kneepoint::agent
