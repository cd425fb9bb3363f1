// SPDX-License-Identifier: Apache-2.0
//
// Efficiency over K as a sketch of characters, for a terminal. Whether a point keeps the floor is
// always drawn right; the numbers are those of the table.
#pragma once

#include <string>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/document.h"

namespace kneepoint {

// Lines that end in a newline; "" when there are fewer than two points or no room.
std::string drawn_curve(const CurveView& view, const TerminalStyle& style);

}  // namespace kneepoint
