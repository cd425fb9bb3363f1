// SPDX-License-Identifier: Apache-2.0
//
// Where the agent finds what belongs to it. In a build tree all programs lie in one folder; an
// installation keeps those that people don't call in lib/kneepoint. Both are looked for from the
// running program's own place, so that an installation may be moved.
#pragma once

#include <string>
#include <vector>

namespace kneepoint::agent {

// Where `name` may lie, given the path of the program: beside it, then ../lib/kneepoint. Pure.
std::vector<std::string> places_of_part(const std::string& program, const std::string& name);

// The first of these places where something is; "": it was not installed.
std::string find_part(const std::string& name);

}  // namespace kneepoint::agent
