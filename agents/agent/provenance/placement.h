// SPDX-License-Identifier: Apache-2.0
//
// Which nodes of the allocation a step runs on. Pure. The nodes have one order for the whole
// allocation and every step takes the first of them, so that node sets are nested and every repeat
// has the same ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/allocation.h"

namespace kneepoint::agent {

// `list` is the batch system's ("n[1-4]"). The agent's own node comes first, since what the agent
// says of the machine it says of that one; the others follow in an order drawn from the
// allocation's name, so that over many allocations it isn't always the first by name that are
// used. Empty if the list can't be read.
std::vector<std::string> node_order(std::string_view list, const std::string& own,
                                    const std::string& allocation);

struct Placement {
  std::vector<std::string> argv;  // the step's, with the nodes in it where the starter wants them
  std::string nodes;              // "n[1-2]"; "": not known
};
Placement place_step(const StepSpec& step, const std::vector<std::string>& order);

}  // namespace kneepoint::agent
