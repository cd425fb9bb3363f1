// SPDX-License-Identifier: Apache-2.0
//
// Letting time pass until an absolute moment of the steady clock, so that delays do not add up.
#pragma once

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {

void sleep_until(Nanoseconds steady);  // no CPU
void spin_until(Nanoseconds steady);   // one CPU, arithmetic all the while

}  // namespace kneepoint::workloads
