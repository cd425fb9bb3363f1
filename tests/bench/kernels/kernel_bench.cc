// SPDX-License-Identifier: Apache-2.0
//
// The kernels stay within a factor of two of a plain optimised reference on one rank: memory-bound
// ones by bytes per second against a triad, gemm by flops per second against OpenBLAS (or a plain
// loop nest where there is none). Kernel and reference take turns and the median of the rounds' own
// ratios counts: what a shared machine's memory gives differs from second to second, within one
// round hardly.
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

constexpr int kRounds = 41;
constexpr int kMostBatches = 5;
constexpr double kAllowed = 2.0;

struct Turn {
  double kernel = 0;  // seconds
  double reference = 0;
};

double seconds_of(const std::function<void()>& work) {
  const Nanoseconds start = system_clock().steady();
  work();
  return to_seconds(system_clock().steady() - start);
}

// The round of a batch whose ratio is the median.
Turn take_turns(const std::function<void()>& kernel, const std::function<void()>& reference) {
  std::vector<Turn> turns;
  for (int round = 0; round < kRounds; ++round) {
    turns.push_back({seconds_of(kernel), seconds_of(reference)});
  }
  const auto middle = turns.begin() + kRounds / 2;
  std::nth_element(turns.begin(), middle, turns.end(), [](const Turn& a, const Turn& b) {
    return a.kernel / a.reference < b.kernel / b.reference;
  });
  return *middle;
}

struct Work {
  const char* name;
  std::function<void()> run;
  double amount;  // bytes or flops
};

// How many times faster the reference is, each batch printed.
double ratio(const Work& kernel, const Work& reference, const char* unit) {
  kernel.run();
  reference.run();
  double least = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < kMostBatches && least > kAllowed; ++batch) {
    const Turn turn = take_turns(kernel.run, reference.run);
    const double rate = kernel.amount / turn.kernel * 1e-9;
    const double reference_rate = reference.amount / turn.reference * 1e-9;
    std::printf("%-18s %7.2f %s, %s %7.2f %s, ratio %.2f (kernels %s)\n", kernel.name, rate, unit,
                reference.name, reference_rate, unit, reference_rate / rate, kernels().name);
    std::fflush(stdout);
    least = std::min(least, reference_rate / rate);
  }
  return least;
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
  Work work() {
    return {"triad", [this] { run(); }, 24.0 * static_cast<double>(a.size())};
  }
  std::vector<double> a, b, c;
};

TEST_F(KernelBench, AJacobiSweepMovesBytesAtHalfTheRateOfATriadOrBetter) {
  constexpr Index n = 192;
  const auto cells = static_cast<std::size_t>((n + 2) * (n + 2) * (n + 2));
  std::vector<double> in(cells, 1), out(cells, 0);
  Triad triad(cells * 2 / 3);
  const Work sweep{"jacobi3d", [&] { kernels().jacobi_sweep(in.data(), out.data(), n, n, n); },
                   16.0 * n * n * n};
  EXPECT_LE(ratio(sweep, triad.work(), "GB/s"), kAllowed);
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
  EXPECT_LE(ratio({"conjugate_gradient", step, bytes}, triad.work(), "GB/s"), kAllowed);
  EXPECT_TRUE(sink == sink);
}

TEST_F(KernelBench, AMatrixVectorProductMovesBytesAtHalfTheRateOfATriadOrBetter) {
  constexpr Index rows = 8192, columns = 2048;
  std::vector<float> matrix(static_cast<std::size_t>(rows * columns), 1), x(columns, 1), y(rows);
  Triad triad(matrix.size() * sizeof(float) / 24);
  const Work product{"tensor_parallel",
                     [&] { kernels().gemv(matrix.data(), x.data(), y.data(), rows, columns); },
                     4.0 * rows * columns};
  EXPECT_LE(ratio(product, triad.work(), "GB/s"), kAllowed);
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
  const auto own = [&] {
    gemm.multiply(n, n, n, row_major(a.data(), n), row_major(b.data(), n), c.data());
  };
  constexpr double flops = 2.0 * n * n * n;
  EXPECT_LE(ratio({"data_parallel", own, flops},
                  {sgemm != nullptr ? "OpenBLAS" : "plain loops", plain, flops}, "Gflop/s"),
            kAllowed);
  EXPECT_EQ(c, reference);  // sums of small whole numbers are exact in any order
}

}  // namespace
}  // namespace kneepoint::workloads
