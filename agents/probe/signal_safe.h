// SPDX-License-Identifier: Apache-2.0
//
// A clock and a text for the libraries that are loaded into other people's programs: no heap, no
// stdio, since what they leave behind is sometimes written by a signal handler.
#pragma once

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>  // renameat

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

// A clock that costs a few nanoseconds: the processor's own counter where it runs at one rate in
// all cores and states, else CLOCK_MONOTONIC. Ticks become nanoseconds only when somebody writes
// them down: the rate is that between two moments, so that nothing has to be calibrated first.
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

namespace kneepoint {

// A text of bounded length. What doesn't fit is dropped, and fits() says so.
class PlainText {
 public:
  PlainText(char* room, std::size_t size) : room_(room), size_(size) {}

  PlainText& add(const char* text) {
    for (; *text != '\0'; ++text) add(*text);
    return *this;
  }
  PlainText& add(char c) {
    if (used_ < size_) {
      room_[used_++] = c;
    } else {
      fits_ = false;
    }
    return *this;
  }
  PlainText& number(std::int64_t value) {
    char digits[24];
    int n = 0;
    const bool negative = value < 0;
    auto rest = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                         : static_cast<std::uint64_t>(value);
    do {
      digits[n++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    if (negative) add('-');
    while (n > 0) add(digits[--n]);
    return *this;
  }
  // One word: what is no letter, digit or usual sign becomes '_'; nothing at all becomes '-'.
  PlainText& word(const char* text, std::size_t most = 128) {
    std::size_t n = 0;
    for (; text[n] != '\0' && n < most; ++n) {
      const auto c = static_cast<unsigned char>(text[n]);
      add(c > ' ' && c != 0x7f ? text[n] : '_');
    }
    if (n == 0) add('-');
    return *this;
  }

  const char* data() const { return room_; }
  std::size_t size() const { return used_; }
  bool fits() const { return fits_; }

 private:
  char* room_;
  std::size_t size_;
  std::size_t used_ = 0;
  bool fits_ = true;
};

// Under a temporary name first, so that nobody reads half of it. False: it could not be written.
inline bool write_text_file(const char* bytes, std::size_t size, const char* temporary,
                            const char* path) {
  const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = write(fd, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return close(fd) == 0 && done == size && renameat(AT_FDCWD, temporary, AT_FDCWD, path) == 0;
}

}  // namespace kneepoint
