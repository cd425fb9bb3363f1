// SPDX-License-Identifier: Apache-2.0
//
// From values to coordinates, and where an axis has its ticks. The K axis has the measured K as
// ticks, logarithmic by default.
#pragma once

#include <string>
#include <vector>

namespace kneepoint::svg {

struct Scale {
  double low = 0, high = 1;  // values; low < high, above 0 when logarithmic
  double from = 0, to = 1;   // coordinates
  bool log = false;

  double at(double value) const;
  bool holds(double value) const { return value >= low && value <= high; }
};

struct Tick {
  double value = 0;
  std::string label;
};

// Round numbers from low to high, about `wanted` of them. Logarithmic: 1, 2, 5 in each decade, or
// powers of two.
std::vector<Tick> ticks_of(const Scale& scale, int wanted, bool powers_of_two = false);

// The same scale with its ends moved outwards to ticks of its own; a linear one has no low end
// below 0 unless `low` is.
Scale widened(Scale scale, int wanted);

// A scale that holds all of `values` (finite; above 0 when log) with some room around.
Scale scale_for(const std::vector<double>& values, bool log);

// `k` as a label: "64", "1.5".
std::string tick_text(double value);

}  // namespace kneepoint::svg
