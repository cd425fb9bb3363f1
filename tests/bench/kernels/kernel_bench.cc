// SPDX-License-Identifier: Apache-2.0
//
// The kernels stay within a factor of two of a plain optimised reference on one rank: memory-bound
// ones by bytes per second against a triad, gemm by flops per second against OpenBLAS (or a plain
// loop nest where there is none). Kernel and reference take turns and the best of each counts, so
// that a busy machine disturbs both alike.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <vector>

#include "orchestrator/base/clock.h"
#include "tests/bench/kernels/reference.h"
#include "workloads/numerics/gemm.h"
#include "workloads/numerics/kernels.h"
#include "workloads/numerics/threads.h"

namespace kneepoint::workloads {
namespace {

constexpr int kRounds = 15;
constexpr double kAllowed = 2.0;

struct Best {
  double kernel = std::numeric_limits<double>::infinity();  // seconds
  double reference = std::numeric_limits<double>::infinity();
};

double seconds_of(const std::function<void()>& work) {
  const Nanoseconds start = system_clock().steady();
  work();
  return to_seconds(system_clock().steady() - start);
}

Best take_turns(const std::function<void()>& kernel, const std::function<void()>& reference) {
  kernel();
  reference();
  Best best;
  for (int round = 0; round < kRounds; ++round) {
    best.kernel = std::min(best.kernel, seconds_of(kernel));
    best.reference = std::min(best.reference, seconds_of(reference));
  }
  return best;
}

// `work` in bytes or flops; prints and returns how many times faster the reference is.
double ratio(const char* name, Best best, double work, double reference_work, const char* reference,
             const char* unit) {
  const double rate = work / best.kernel * 1e-9;
  const double reference_rate = reference_work / best.reference * 1e-9;
  std::printf("%-18s %7.2f %s, %s %7.2f %s, ratio %.2f (kernels %s)\n", name, rate, unit, reference,
              reference_rate, unit, reference_rate / rate, kernels().name);
  std::fflush(stdout);
  return reference_rate / rate;
}

class KernelBench : public ::testing::Test {
 protected:
  void SetUp() override { limit_threads_by_environment(); }
};

using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                       float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                       float* c, int ldc);

// OpenBLAS's product on one thread, or null. Old releases don't know new processors and fall back
// to slow code; they are told what they may use, so that the reference is at its best.
Sgemm openblas_sgemm() {
  const char* core = nullptr;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) core = "Haswell";
  if (__builtin_cpu_supports("avx512vl")) core = "SkylakeX";
#endif
  if (core != nullptr) ::setenv("OPENBLAS_CORETYPE", core, 0);
  void* library = ::dlopen(KP_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto limit = reinterpret_cast<void (*)(int)>(::dlsym(library, "openblas_set_num_threads"));
  if (limit != nullptr) limit(1);
  return reinterpret_cast<Sgemm>(::dlsym(library, "cblas_sgemm"));
}

struct Triad {
  explicit Triad(std::size_t n) : a(n, 0), b(n, 1), c(n, 2) {}
  void run() { bench::triad(a.data(), b.data(), c.data(), 3, static_cast<Index>(a.size())); }
  double bytes() const { return 24.0 * static_cast<double>(a.size()); }
  std::vector<double> a, b, c;
};

TEST_F(KernelBench, AJacobiSweepMovesBytesAtHalfTheRateOfATriadOrBetter) {
  constexpr Index n = 192;
  const auto cells = static_cast<std::size_t>((n + 2) * (n + 2) * (n + 2));
  std::vector<double> in(cells, 1), out(cells, 0);
  Triad triad(cells * 2 / 3);
  const Best best = take_turns([&] { kernels().jacobi_sweep(in.data(), out.data(), n, n, n); },
                               [&] { triad.run(); });
  EXPECT_LE(ratio("jacobi3d", best, 16.0 * n * n * n, triad.bytes(), "triad", "GB/s"), kAllowed);
}

TEST_F(KernelBench, AStepOfConjugateGradientMovesBytesAtHalfTheRateOfATriadOrBetter) {
  constexpr Index n = 96;
  constexpr Index rows = n * n * n;
  std::vector<std::int32_t> begin = {0}, columns;
  std::vector<double> values;
  for (Index row = 0; row < rows; ++row) {
    for (const Index step : {-n * n, -n, Index{-1}, Index{0}, Index{1}, n, n * n}) {
      const Index column = row + step;
      if (column < 0 || column >= rows) continue;
      columns.push_back(static_cast<std::int32_t>(column));
      values.push_back(step == 0 ? 6 : -1);
    }
    begin.push_back(static_cast<std::int32_t>(columns.size()));
  }
  const auto count = static_cast<std::size_t>(rows);
  std::vector<double> x(count, 0), r(count, 1), p(count, 1), q(count, 0);
  const CsrView matrix{rows, begin.data(), columns.data(), values.data()};
  const KernelSet& k = kernels();
  double sink = 0;
  const auto step = [&] {
    k.csr_multiply(matrix, p.data(), q.data());
    sink += k.dot(p.data(), q.data(), rows);
    k.add_scaled(1e-3, p.data(), x.data(), rows);
    k.add_scaled(-1e-3, q.data(), r.data(), rows);
    sink += k.dot(r.data(), r.data(), rows);
    k.scale_and_add(1e-3, r.data(), p.data(), rows);
  };
  // Per non-zero a value and an index; per row: begin, p, q (20), then 16 + 24 + 24 + 8 + 24.
  const double bytes = 12.0 * static_cast<double>(columns.size()) + 116.0 * rows;
  Triad triad(static_cast<std::size_t>(bytes / 24));
  const Best best = take_turns(step, [&] { triad.run(); });
  EXPECT_TRUE(sink == sink);
  EXPECT_LE(ratio("conjugate_gradient", best, bytes, triad.bytes(), "triad", "GB/s"), kAllowed);
}

TEST_F(KernelBench, AMatrixVectorProductMovesBytesAtHalfTheRateOfATriadOrBetter) {
  constexpr Index rows = 8192, columns = 2048;
  std::vector<float> matrix(static_cast<std::size_t>(rows * columns), 1), x(columns, 1), y(rows);
  Triad triad(matrix.size() * sizeof(float) / 24);
  const Best best =
      take_turns([&] { kernels().gemv(matrix.data(), x.data(), y.data(), rows, columns); },
                 [&] { triad.run(); });
  EXPECT_LE(ratio("tensor_parallel", best, 4.0 * rows * columns, triad.bytes(), "triad", "GB/s"),
            kAllowed);
}

TEST_F(KernelBench, AMatrixProductRunsAtHalfTheRateOfTheReferenceOrBetter) {
  constexpr Index n = 1024;
  std::vector<float> a(n * n), b(n * n), c(n * n), reference(n * n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
  }
  Gemm gemm;
  const Sgemm sgemm = openblas_sgemm();
  const auto plain = [&] {
    if (sgemm != nullptr) {
      sgemm(101, 111, 111, n, n, n, 1, a.data(), n, b.data(), n, 0, reference.data(), n);
    } else {
      bench::plain_gemm(n, a.data(), b.data(), reference.data());
    }
  };
  const Best best = take_turns(
      [&] { gemm.multiply(n, n, n, row_major(a.data(), n), row_major(b.data(), n), c.data()); },
      plain);
  EXPECT_EQ(c, reference);  // sums of small whole numbers are exact in any order
  const double flops = 2.0 * n * n * n;
  EXPECT_LE(ratio("data_parallel", best, flops, flops,
                  sgemm != nullptr ? "OpenBLAS" : "plain loops", "Gflop/s"),
            kAllowed);
}

}  // namespace
}  // namespace kneepoint::workloads
