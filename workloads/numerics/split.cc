// SPDX-License-Identifier: Apache-2.0
//
// Cutting a whole into near-equal parts.
#include "workloads/numerics/split.h"

#include <algorithm>

#include "orchestrator/base/ensure.h"

namespace kneepoint::workloads {

Range split(std::int64_t total, int parts, int part) {
  ENSURE(parts > 0 && part >= 0 && part < parts, "a part that is not one of the parts");
  const std::int64_t each = total / parts;
  const std::int64_t longer = total % parts;
  const std::int64_t begin = part * each + std::min<std::int64_t>(part, longer);
  return {begin, begin + each + (part < longer ? 1 : 0)};
}

Box split_cube(std::int64_t edge, const std::array<int, 3>& dims,
               const std::array<int, 3>& coordinates) {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) box.side[d] = split(edge, dims[d], coordinates[d]);
  return box;
}

}  // namespace kneepoint::workloads
