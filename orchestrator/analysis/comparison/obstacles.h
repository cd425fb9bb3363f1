// SPDX-License-Identifier: Apache-2.0
//
// What keeps two points from being compared. Pure: only what both of them state can be in the way.
#pragma once

#include <string>

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

// Why T of these two points is not of the same thing; "": it is, as far as is known.
std::string point_obstacle(const PointSummary& left, const PointSummary& right);

// Without trailing zeros: "0.5", "512".
std::string plain_number(double value);

}  // namespace kneepoint
