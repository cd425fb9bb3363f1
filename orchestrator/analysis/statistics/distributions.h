// SPDX-License-Identifier: Apache-2.0
//
// The tails and quantiles that intervals are made of. Pure; Boost.Math stays inside the .cc.
#pragma once

#include <cstdint>
#include <vector>

namespace kneepoint {

// P(T > t) of Student's t; df > 0 and may be fractional (Welch).
double student_t_upper_tail(double t, double df);
// The t with P(T <= t) = p, 0 < p < 1.
double student_t_quantile(double p, double df);
// P(F > f) of Fisher's F; both df > 0.
double fisher_f_upper_tail(double f, double df_above, double df_below);
// P(X <= k) for X ~ Binomial(n, p), 0 < p < 1; 0 when k < 0.
double binomial_cdf(std::int64_t k, std::int64_t n, double p);
// P(U = u) for u = 0 .. n·m: the exact null distribution of Mann and Whitney's U without ties.
std::vector<double> mann_whitney_null(int n, int m);

}  // namespace kneepoint
