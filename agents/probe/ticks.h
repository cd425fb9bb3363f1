// SPDX-License-Identifier: Apache-2.0
//
// A clock that costs a few nanoseconds: the processor's own counter where it runs at one rate in
// all cores and states, else CLOCK_MONOTONIC. Ticks become nanoseconds only when somebody writes
// them down: the rate is that between two moments, so that nothing has to be calibrated first.
// For the libraries that are loaded into other people's programs; async-signal-safe.
#pragma once

#include <time.h>

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace kneepoint::ticks {

inline std::int64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

#if defined(__x86_64__)
// CPUID 0x80000007, EDX bit 8: the counter runs on in every power state, at one rate.
inline bool counter_is_steady() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}
#elif defined(__aarch64__)
inline bool counter_is_steady() {
  return true;  // the architecture says so
}
#else
inline bool counter_is_steady() {
  return false;
}
#endif

// False until this library's constructors have run: take no moment in one of them.
inline const bool kSteady = counter_is_steady();

[[gnu::always_inline]] inline std::uint64_t now() {
#if defined(__x86_64__)
  if (__builtin_expect(kSteady, 1)) return __rdtsc();
#elif defined(__aarch64__)
  if (kSteady) {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
  }
#endif
  return static_cast<std::uint64_t>(monotonic_ns());
}

// The same instant on both clocks.
struct Moment {
  std::uint64_t ticks = 0;
  std::int64_t ns = 0;
};

// The narrowest of a few tries: who loses the processor between the clocks would get a wrong rate.
inline Moment moment() {
  Moment best;
  std::uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = now();
    const std::int64_t ns = monotonic_ns();
    const std::uint64_t gap = now() - before;
    if (gap < narrowest) {
      narrowest = gap;
      best = {before + gap / 2, ns};
    }
  }
  return best;
}

// Turns differences of ticks into nanoseconds by the rate between two moments.
class Rate {
 public:
  Rate(const Moment& from, const Moment& to) {
    const std::uint64_t ticks = to.ticks - from.ticks;
    if (kSteady && ticks > 0 && to.ns > from.ns) {
      ns_per_tick_ = static_cast<double>(to.ns - from.ns) / static_cast<double>(ticks);
    }
  }
  std::int64_t ns(std::uint64_t ticks) const {
    return static_cast<std::int64_t>(static_cast<double>(ticks) * ns_per_tick_ + 0.5);
  }

 private:
  double ns_per_tick_ = 1;
};

}  // namespace kneepoint::ticks
