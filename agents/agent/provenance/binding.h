// SPDX-License-Identifier: Apache-2.0
//
// Did the ranks run where the plan wanted them? Judged from what the ranks report of themselves,
// never from what was asked of the starter.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/wire/record.h"

namespace kneepoint::agent {

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
