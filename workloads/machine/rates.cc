// SPDX-License-Identifier: Apache-2.0
//
// Tries go on until the budget is spent, two at least: the first one also warms up.
#include "workloads/machine/rates.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "workloads/numerics/gemm.h"

namespace kneepoint::workloads {
namespace {

constexpr int kFewestTries = 2;

// Seconds of the fastest try.
template <typename Work>
double best_of(Nanoseconds budget, const Work& work) {
  const Nanoseconds end = system_clock().steady() + budget;
  Nanoseconds best = 0;
  for (int tries = 0; tries < kFewestTries || system_clock().steady() < end; ++tries) {
    const Nanoseconds start = system_clock().steady();
    work();
    const Nanoseconds took = std::max<Nanoseconds>(1, system_clock().steady() - start);
    best = tries == 0 ? took : std::min(best, took);
  }
  return to_seconds(best);
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  double sum = 0;
  for (const timeval& t : {used.ru_utime, used.ru_stime}) {
    sum += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  return sum;
}

// Pages that no thread has touched yet, which a vector's would not be.
class Pages {
 public:
  explicit Pages(std::int64_t elements)
      : bytes_(static_cast<std::size_t>(elements) * sizeof(double)),
        memory_(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (good()) ::madvise(memory_, bytes_, MADV_HUGEPAGE);
  }
  ~Pages() {
    if (good()) ::munmap(memory_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  bool good() const { return memory_ != MAP_FAILED; }
  double* data() const { return static_cast<double*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

Attention::Attention() : wall_(system_clock().steady()), cpu_(cpu_seconds()) {}

double Attention::share(int threads) const {
  const double wall = to_seconds(system_clock().steady() - wall_);
  return wall > 0 ? (cpu_seconds() - cpu_) / (wall * threads) : 1;
}

bool can_use_threads() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

double gemm_rate(Nanoseconds budget) {
  constexpr Index kEdge = 384;  // a few ms: short enough to go undisturbed
  const std::vector<float> a(kEdge * kEdge, 0.5F), b(kEdge * kEdge, 0.25F);
  std::vector<float> c(kEdge * kEdge);
  Gemm gemm;
  const double seconds = best_of(budget, [&] {
    gemm.multiply(kEdge, kEdge, kEdge, row_major(a.data(), kEdge), row_major(b.data(), kEdge),
                  c.data());
  });
  return 2.0 * kEdge * kEdge * kEdge / seconds;
}

double triad_rate(std::int64_t elements, [[maybe_unused]] int threads, Nanoseconds budget) {
  const Pages first(elements), second(elements), third(elements);
  if (!first.good() || !second.good() || !third.good()) return 0;
  double* const a = first.data();
  double* const b = second.data();
  double* const c = third.data();
#pragma omp parallel for simd schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < elements; ++i) {
    a[i] = 0;
    b[i] = 1;
    c[i] = 2;
  }
  const double seconds = best_of(budget, [&] {
#pragma omp parallel for simd schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < elements; ++i) a[i] = b[i] + 3 * c[i];
  });
  return 24.0 * static_cast<double>(elements) / seconds;
}

}  // namespace kneepoint::workloads
