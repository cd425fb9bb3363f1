// SPDX-License-Identifier: Apache-2.0
//
// Lists of nodes as Slurm writes them, folded ("n[1-4]") and unfolded. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kneepoint {

// "n[01-03,7],m2" -> n01 n02 n03 n7 m2. At most 100,000 names; what can't be read stays as it is.
std::vector<std::string> expand_node_list(std::string_view list);

// The way back, in the order of the names: numbers at their ends are folded.
std::string fold_node_list(const std::vector<std::string>& names);

}  // namespace kneepoint
