// SPDX-License-Identifier: Apache-2.0
//
// How much communication is exposed: the time in which a device communicates and computes nothing.
// Pure: spans of time in, seconds out. Spans may touch, overlap and come in any order.
#pragma once

#include <vector>

#include "orchestrator/base/clock.h"

namespace kneepoint::workloads {

struct Span {
  double begin = 0;  // s
  double end = 0;    // s, >= begin
};

// Seconds that lie in one span at least.
double covered(std::vector<Span> spans);

// Seconds of communication that no computing covers.
double exposed(const std::vector<Span>& communication, const std::vector<Span>& compute);

// What goes into a sample whose wall time is `total`. A device's clock is not the host's: where its
// account comes to more than the wall time, both parts are scaled down to fit.
struct Account {
  Nanoseconds compute = 0;
  Nanoseconds communication = 0;  // exposed
};
Account account(double compute_seconds, double exposed_seconds, Nanoseconds total);

}  // namespace kneepoint::workloads
