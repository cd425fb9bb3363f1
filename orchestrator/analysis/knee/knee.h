// SPDX-License-Identifier: Apache-2.0
//
// The efficiency-floor rule: how far up K does efficiency stay at or above a floor? Works on the
// normalised cost 1/E, which is linear in K for Amdahl's law and so interpolates exactly.
#pragma once

#include <vector>

#include "orchestrator/analysis/statistics/summary.h"

namespace kneepoint {

// The non-decreasing sequence nearest to `values` by weighted least squares (pool adjacent
// violators). Same length; weights > 0.
std::vector<double> isotonic_increasing(const std::vector<double>& values,
                                        const std::vector<double>& weights);

// Goes by decisive_efficiency(); points without data are left out.
KneeAnswer find_knee(const Curve& curve, double floor);

}  // namespace kneepoint
