// SPDX-License-Identifier: Apache-2.0
//
// One reduction of all rows to a triangle, then at most 31 tiny problems on that triangle.
#include "orchestrator/analysis/models/nnls.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

constexpr int kWidth = kMostColumns + 1;
constexpr double kDependent = 1e-12;  // of a column's length: what is left of it is rounding
constexpr double kSameFit = 1e-12;    // of a residual
constexpr double kRounding = 1e-28;   // of the right side's sum of squares
using Square = std::array<double, kWidth * kWidth>;

struct Attempt {
  bool feasible = false;
  NonNegative solution;
};

Attempt solve_on(const Square& triangle, int columns, unsigned set) {
  const int count = std::popcount(set), height = columns + 1, width = count + 1;
  std::array<int, kMostColumns> members{};
  for (int j = 0, at = 0; j < columns; ++j) {
    if (set >> j & 1U) members[at++] = j;
  }
  Square a{};
  std::array<double, kMostColumns> length{};
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < count; ++j) {
      const double v = triangle[i * height + members[j]];
      a[i * width + j] = v;
      length[j] += v * v;
    }
    a[i * width + count] = triangle[i * height + columns];
  }
  triangulate(a.data(), height, width, count);

  Attempt attempt;
  for (int j = count; j-- > 0;) {
    const double diagonal = a[j * width + j];
    if (!(std::abs(diagonal) > kDependent * std::sqrt(length[j]))) return attempt;
    double x = a[j * width + count];
    for (int i = j + 1; i < count; ++i) x -= a[j * width + i] * attempt.solution.x[members[i]];
    x /= diagonal;
    if (!(x >= 0)) return attempt;
    attempt.solution.x[members[j]] = x;
  }
  for (int i = count; i < height; ++i) {
    attempt.solution.residual += a[i * width + count] * a[i * width + count];
  }
  attempt.feasible = true;
  return attempt;
}

}  // namespace

void triangulate(double* matrix, int rows, int width, int columns) {
  for (int j = 0; j < columns && j + 1 < rows; ++j) {
    double below = 0;
    for (int i = j + 1; i < rows; ++i) below += matrix[i * width + j] * matrix[i * width + j];
    if (below == 0) continue;
    double& pivot = matrix[j * width + j];
    const double norm = std::sqrt(pivot * pivot + below);
    const double head = pivot > 0 ? pivot + norm : pivot - norm;
    const double scale = 2 / (head * head + below);
    for (int c = j + 1; c < width; ++c) {
      double dot = head * matrix[j * width + c];
      for (int i = j + 1; i < rows; ++i) dot += matrix[i * width + j] * matrix[i * width + c];
      dot *= scale;
      matrix[j * width + c] -= dot * head;
      for (int i = j + 1; i < rows; ++i) matrix[i * width + c] -= dot * matrix[i * width + j];
    }
    pivot = pivot > 0 ? -norm : norm;
    for (int i = j + 1; i < rows; ++i) matrix[i * width + j] = 0;
  }
}

NonNegative solve_non_negative(std::vector<double>& rows, int columns) {
  ENSURE(columns >= 1 && columns <= kMostColumns, "from 1 to 5 columns");
  const int width = columns + 1;
  const int height = static_cast<int>(rows.size()) / width;
  ENSURE(static_cast<std::size_t>(height) * width == rows.size(), "whole rows");
  triangulate(rows.data(), height, width, width);
  Square triangle{};
  std::copy_n(rows.begin(), std::min(height, width) * width, triangle.begin());

  NonNegative best;
  for (int i = 0; i < width; ++i) {
    best.residual += triangle[i * width + columns] * triangle[i * width + columns];
  }
  const double rounding = kRounding * best.residual;
  for (int count = 1; count <= columns; ++count) {
    for (unsigned set = 1; set < 1U << columns; ++set) {
      if (std::popcount(set) != count) continue;
      const Attempt attempt = solve_on(triangle, columns, set);
      if (!attempt.feasible) continue;
      if (attempt.solution.residual < best.residual * (1 - kSameFit) - rounding) {
        best = attempt.solution;
      }
    }
  }
  return best;
}

}  // namespace kneepoint
