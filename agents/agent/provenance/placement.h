// SPDX-License-Identifier: Apache-2.0
//
// Which nodes of the allocation a step runs on. Pure. The nodes have one order for the whole
// allocation and every step takes the first of them, so that node sets are nested and every repeat
// has the same ones.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/allocation.h"
#include "agents/wire/record.h"

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

// Did the ranks run where the plan wanted them? Judged from what the ranks report of themselves,
// never from what was asked of the starter.
struct BindingRequest {
  std::string bind;  // core | socket | none
  int threads_per_rank = 1;
  int cpus_of_node = 0;     // 0: unknown
  int sockets_of_node = 0;  // 0: unknown
};

// "0-3,8" -> {0,1,2,3,8}; empty if it isn't such a list.
std::set<int> parse_cpu_list(std::string_view text);

// "as asked" | "differs: rank 1 may run on 0-1" | "not asked" | "unknown"
std::string verify_binding(const BindingRequest& request,
                           const std::vector<record::RankTotal>& ranks);

}  // namespace kneepoint::agent
