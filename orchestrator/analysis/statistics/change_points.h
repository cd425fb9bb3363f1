// SPDX-License-Identifier: Apache-2.0
//
// Since when? Where the level of a series of nights changed, by energy statistics with a t test for
// each split, docs/methods.md. It dates changes and finds improvements; it is too slow to notice
// for tonight's verdict.
#pragma once

#include <cstddef>
#include <vector>

#include "orchestrator/base/fields.h"

namespace kneepoint {

struct ChangePoint {
  std::size_t night = 0;  // first of the new level
  double ratio = 1;       // new level over the old one
  double p = 1;
  KP_DESCRIBED(ChangePoint, night, ratio);
};

// `log_values` by night. Ascending. Of long series the latest 60 nights are looked at.
std::vector<ChangePoint> change_points(const std::vector<double>& log_values);

struct Split {
  std::size_t tau = 0;    // first of the second part
  std::size_t kappa = 0;  // past the last of it
  double q = 0;
};
// The split of values[begin, end) with the largest energy distance between its parts, the second
// part ending anywhere.
Split best_split(const std::vector<double>& values, std::size_t begin, std::size_t end,
                 std::size_t least);

}  // namespace kneepoint
