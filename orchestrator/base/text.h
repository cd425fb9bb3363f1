// SPDX-License-Identifier: Apache-2.0
//
// Small texts that every layer makes alike. ASCII only: names and headers, not prose.
#pragma once

#include <string>
#include <string_view>

namespace kneepoint {

std::string ascii_lower(std::string_view text);
std::string ascii_upper(std::string_view text);
// By a format of printf for one double: ("%.1f%%", 5.25) -> "5.2%".
std::string format_number(const char* format, double value);
// "3 runs", "1 run", "2 studies".
std::string counted(long number, const std::string& noun);
// "" if it is not set.
std::string environment_variable(const char* name);
// Where the running program lies; "" if the kernel does not say.
std::string own_program();

}  // namespace kneepoint
