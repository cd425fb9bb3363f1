// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/fitting.h"

#include <gtest/gtest.h>

#include "orchestrator/base/random.h"

namespace kneepoint {
namespace {

TEST(Nnls, SolvesWhatHasAnExactSolution) {
  std::vector<double> rows = {1, 1, 5, 1, 2, 7, 1, 3, 9};
  const NonNegative solution = solve_non_negative(rows, 2);
  EXPECT_NEAR(solution.x[0], 3, 1e-13);
  EXPECT_NEAR(solution.x[1], 2, 1e-13);
  EXPECT_NEAR(solution.residual, 0, 1e-26);
}

TEST(Nnls, ANegativeSolutionGoesToItsBound) {
  // Free: y = 4 - x. Bound: the mean.
  std::vector<double> rows = {1, 1, 3, 1, 2, 2, 1, 3, 1};
  const NonNegative solution = solve_non_negative(rows, 2);
  EXPECT_NEAR(solution.x[0], 2, 1e-13);
  EXPECT_EQ(solution.x[1], 0);
  EXPECT_NEAR(solution.residual, 2, 1e-13);
}

TEST(Nnls, NothingFitsANegativeRightSide) {
  std::vector<double> rows = {1, -1, 1, -2};
  const NonNegative solution = solve_non_negative(rows, 1);
  EXPECT_EQ(solution.x[0], 0);
  EXPECT_NEAR(solution.residual, 5, 1e-13);
}

TEST(Nnls, ColumnsThatDependOnEachOtherAreNeverTakenTogether) {
  std::vector<double> rows = {1, 2, 2, 1, 2, 2, 1, 2, 2};
  const NonNegative solution = solve_non_negative(rows, 2);
  EXPECT_NEAR(solution.x[0] + 2 * solution.x[1], 2, 1e-13);
  EXPECT_TRUE(solution.x[0] == 0 || solution.x[1] == 0);
}

TEST(Nnls, FewerRowsThanColumnsStillHasAnAnswer) {
  std::vector<double> rows = {1, 2, 3, 6};
  EXPECT_NEAR(solve_non_negative(rows, 3).residual, 0, 1e-26);
}

// At the optimum no coefficient can be moved to a better place: the gradient is 0 where x > 0 and
// not negative where x = 0.
TEST(Nnls, MeetsTheConditionsOfTheOptimumOnRandomProblems) {
  Random random(20240607);
  for (int trial = 0; trial < 2000; ++trial) {
    const int columns = 1 + static_cast<int>(random.below(kMostColumns));
    const int height = columns + static_cast<int>(random.below(12));
    std::vector<double> rows;
    for (int i = 0; i < height * (columns + 1); ++i) rows.push_back(random.normal());
    std::vector<double> work = rows;
    const NonNegative solution = solve_non_negative(work, columns);
    std::vector<double> gradient(columns, 0);
    double residual = 0;
    for (int i = 0; i < height; ++i) {
      const double* row = &rows[static_cast<std::size_t>(i) * (columns + 1)];
      double off = -row[columns];
      for (int j = 0; j < columns; ++j) off += row[j] * solution.x[j];
      for (int j = 0; j < columns; ++j) gradient[j] += off * row[j];
      residual += off * off;
    }
    EXPECT_NEAR(residual, solution.residual, 1e-9);
    for (int j = 0; j < columns; ++j) {
      EXPECT_GE(solution.x[j], 0);
      EXPECT_GT(gradient[j], -1e-8);
      if (solution.x[j] > 0) {
        EXPECT_LT(gradient[j], 1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace kneepoint
