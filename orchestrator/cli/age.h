// SPDX-License-Identifier: Apache-2.0
//
// How old is old: "90d", "12w", "36h", as people type it. Pure.
#pragma once

#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint::cli {

// `flag` is for the message.
Result<Nanoseconds> parse_age(const std::string& flag, const std::string& text);

}  // namespace kneepoint::cli
