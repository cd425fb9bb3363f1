// SPDX-License-Identifier: Apache-2.0
//
// What the metric "time" may be. One rule for whoever finds it: the agent in a program's output,
// the reader in a workload's own records.
#pragma once

#include <string>
#include <string_view>

namespace kneepoint::record {

// "" if it is a time from a picosecond to 1e9 s; else what is wrong with it.
std::string problem_of_time(double value, std::string_view unit);

}  // namespace kneepoint::record
