// SPDX-License-Identifier: Apache-2.0
//
// Rows of a study as they travel between databases: columns by name, values without a type of ours.
// A reference to a row of another table is that row's place there, from 1 on; the study itself has
// none, since there is one.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kneepoint {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;  // monostate: NULL

struct RowTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;

  bool operator==(const RowTable&) const = default;
};

}  // namespace kneepoint
