// SPDX-License-Identifier: Apache-2.0
//
// Every kernel set that this processor can run, against plain loops.
#include "workloads/numerics/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "workloads/numerics/counter_random.h"
#include "workloads/numerics/mlp.h"

namespace kneepoint::workloads {
namespace {

std::vector<float> random_floats(Index n, std::uint64_t stream) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = hashed_uniform(7, stream, i);
  return values;
}

std::vector<double> random_doubles(Index n, std::uint64_t stream) {
  const auto floats = random_floats(n, stream);
  return {floats.begin(), floats.end()};
}

class Kernels : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { limit_threads_by_environment(); }
  const KernelSet& set() const { return kernel_set(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Sets, Kernels, ::testing::Range(0, kernel_set_count()));

struct Sizes {
  Index m, n, k;
};

void expect_product(const KernelSet& set, Sizes s, bool transpose_a, bool transpose_b) {
  const auto a = random_floats(s.m * s.k, 1);
  const auto b = random_floats(s.k * s.n, 2);
  std::vector<float> c(static_cast<std::size_t>(s.m * s.n), NAN);
  const MatrixView va = transpose_a ? transposed(a.data(), s.m) : row_major(a.data(), s.k);
  const MatrixView vb = transpose_b ? transposed(b.data(), s.k) : row_major(b.data(), s.n);
  Gemm(set).multiply(s.m, s.n, s.k, va, vb, c.data());
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < s.n; ++j) {
      double expected = 0;
      for (Index p = 0; p < s.k; ++p) {
        expected += static_cast<double>(va.data[i * va.row_stride + p * va.column_stride]) *
                    vb.data[p * vb.row_stride + j * vb.column_stride];
      }
      ASSERT_NEAR(c[static_cast<std::size_t>(i * s.n + j)], expected,
                  1e-6 * static_cast<double>(s.k + 1))
          << set.name << " " << s.m << "x" << s.n << "x" << s.k << " at " << i << "," << j;
    }
  }
}

TEST_P(Kernels, TheProductIsRightForWholeAndRaggedBlocksAndEveryTranspose) {
  for (const Sizes s : {Sizes{1, 1, 1}, Sizes{3, 5, 7}, Sizes{12, 32, 16}, Sizes{13, 33, 17},
                        Sizes{145, 70, 385}, Sizes{64, 530, 40}}) {
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) expect_product(set(), s, a, b);
    }
  }
}

TEST_P(Kernels, TheMatrixVectorProductIsRight) {
  constexpr Index rows = 37, columns = 61;
  const auto matrix = random_floats(rows * columns, 3);
  const auto x = random_floats(columns, 4);
  std::vector<float> y(rows);
  set().gemv(matrix.data(), x.data(), y.data(), rows, columns);
  for (std::size_t i = 0; i < y.size(); ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      expected += static_cast<double>(matrix[i * columns + j]) * x[j];
    }
    EXPECT_NEAR(y[i], expected, 1e-5);
  }
}

TEST_P(Kernels, ASweepWritesTheMeanOfSixNeighboursAndNoGhosts) {
  constexpr Index nx = 5, ny = 4, nz = 3;
  constexpr Index line = nx + 2, plane = line * (ny + 2), cells = plane * (nz + 2);
  const auto in = random_doubles(cells, 5);
  std::vector<double> out(cells, -9);
  set().jacobi_sweep(in.data(), out.data(), nx, ny, nz);
  for (Index at = 0; at < cells; ++at) {
    const Index x = at % line, y = at / line % (ny + 2), z = at / plane;
    const auto i = [&](Index step) { return in[static_cast<std::size_t>(at + step)]; };
    const bool inside = x >= 1 && x <= nx && y >= 1 && y <= ny && z >= 1 && z <= nz;
    if (!inside) {
      EXPECT_EQ(out[static_cast<std::size_t>(at)], -9) << "a ghost cell was written";
      continue;
    }
    const double expected = (i(-1) + i(1) + i(-line) + i(line) + i(-plane) + i(plane)) / 6;
    EXPECT_NEAR(out[static_cast<std::size_t>(at)], expected, 1e-15);
  }
}

TEST_P(Kernels, TheSparseProductFollowsTheRows) {
  // [2 0 1; 0 0 0; 4 5 0]
  const std::vector<std::int32_t> begin = {0, 2, 2, 4}, columns = {0, 2, 0, 1};
  const std::vector<double> values = {2, 1, 4, 5}, x = {1, 10, 100};
  std::vector<double> y(3, -1);
  set().csr_multiply({3, begin.data(), columns.data(), values.data()}, x.data(), y.data());
  EXPECT_EQ(y, (std::vector<double>{102, 0, 54}));
}

TEST_P(Kernels, VectorUpdatesAreRight) {
  std::vector<double> x(101), y(101, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  EXPECT_EQ(set().dot(x.data(), y.data(), 101), 5050);
  set().add_scaled(2, x.data(), y.data(), 101);
  EXPECT_EQ(y[100], 201);
  set().scale_and_add(0.5, x.data(), y.data(), 101);
  EXPECT_EQ(y[100], 200.5);
}

TEST_P(Kernels, PointsInTheCircleAreTheSameInOnePieceAndInMany) {
  std::int64_t plain = 0;
  for (std::uint32_t pair = 0; pair < 1000; ++pair) {
    const PhiloxWords w = philox({pair, 0, 0, 0}, 42, 0);
    plain += in_circle(w.w0, w.w1) + in_circle(w.w2, w.w3);
  }
  EXPECT_EQ(set().circle_hits(42, 0, 1000), plain);
  EXPECT_EQ(set().circle_hits(42, 0, 333) + set().circle_hits(42, 333, 667), plain);
  EXPECT_EQ(set().circle_hits(42, 5, 0), 0);
}

TEST_P(Kernels, ACounterBeyond32BitsIsUsedWhole) {
  const std::uint64_t far = std::uint64_t{1} << 40;
  const PhiloxWords w = philox({0, 256, 0, 0}, 1, 0);
  EXPECT_EQ(set().circle_hits(1, far, 1), in_circle(w.w0, w.w1) + in_circle(w.w2, w.w3));
}

}  // namespace
}  // namespace kneepoint::workloads
