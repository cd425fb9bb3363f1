// SPDX-License-Identifier: Apache-2.0
//
// How a whole is cut into parts that differ by at most one: the rule every workload uses, so that
// sizes that don't divide are still right.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "orchestrator/base/ensure.h"

namespace kneepoint::workloads {

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

// Part `part` of `parts` of [0, total): the first total % parts parts are one longer.
inline Range split(std::int64_t total, int parts, int part) {
  ENSURE(parts > 0 && part >= 0 && part < parts, "a part that is not one of the parts");
  const std::int64_t each = total / parts;
  const std::int64_t longer = total % parts;
  const std::int64_t begin = part * each + std::min<std::int64_t>(part, longer);
  return {begin, begin + each + (part < longer ? 1 : 0)};
}

// A box of a cube of edge `edge` cut by `dims`, at `coordinates`; order x, y, z.
struct Box {
  std::array<Range, 3> side;
  std::int64_t cells() const { return side[0].size() * side[1].size() * side[2].size(); }
};
inline Box split_cube(std::int64_t edge, const std::array<int, 3>& dims,
                      const std::array<int, 3>& coordinates) {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) box.side[d] = split(edge, dims[d], coordinates[d]);
  return box;
}

}  // namespace kneepoint::workloads
