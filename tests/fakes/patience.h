// SPDX-License-Identifier: Apache-2.0
//
// How long a test waits for an event that must come. It keeps a hang from lasting for ever and
// judges nothing: far above what any event takes on a machine with too much to do, and below the
// limit of ctest, so that the test itself says what did not come, and cleans up.
#pragma once

#include "orchestrator/base/clock.h"

namespace kneepoint {

constexpr Nanoseconds kPatience = 5 * kMinute;
constexpr Nanoseconds kStudyPatience = 12 * kMinute;  // for the end of a whole program

}  // namespace kneepoint
