// SPDX-License-Identifier: Apache-2.0
//
// Least squares with coefficients >= 0, exactly: every set of non-zero coefficients is tried, so
// there are no starting values, no local minima and nothing that fails to converge.
#pragma once

#include <array>
#include <vector>

namespace kneepoint {

constexpr int kMostColumns = 5;

struct NonNegative {
  std::array<double, kMostColumns> x{};  // 0: not in the set
  double residual = 0;                   // sum of squares
};

// `rows` holds one row after the other, each `columns` factors and then its right side; it is
// overwritten. Of sets that explain the data equally well up to rounding the smallest wins; columns
// that depend on each other are never in one set. 1 <= columns <= kMostColumns.
NonNegative solve_non_negative(std::vector<double>& rows, int columns);

// Householder: zeros below the diagonal of the first `columns` columns of a row-major matrix, in
// place; the same reflections on the columns to the right of them.
void triangulate(double* matrix, int rows, int width, int columns);

}  // namespace kneepoint
