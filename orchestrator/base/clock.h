// SPDX-License-Identifier: Apache-2.0
//
// Clock: the only way to learn the time. Everything that needs "now" takes a Clock&, so that tests
// and the simulated backend decide what time it is. All times are integer nanoseconds.
#pragma once

#include <cstdint>
#include <string>

namespace kneepoint {

using Nanoseconds = std::int64_t;

constexpr Nanoseconds kMicrosecond = 1'000;
constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kMinute = 60 * kSecond;
constexpr Nanoseconds kHour = 60 * kMinute;

constexpr double to_seconds(Nanoseconds ns) {
  return static_cast<double>(ns) * 1e-9;
}
constexpr Nanoseconds from_seconds(double seconds) {
  return static_cast<Nanoseconds>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanoseconds wall() const = 0;    // since 1970-01-01 UTC; may jump
  virtual Nanoseconds steady() const = 0;  // monotonic; only differences mean anything
};

// The machine's clocks. Lives for the whole program.
const Clock& system_clock();

// "2026-11-16T02:31:30Z"
std::string to_utc_text(Nanoseconds wall);
// "1.24 s", "12.3 ms", "2 h 05 min": three significant digits, for people.
std::string to_duration_text(Nanoseconds duration);

}  // namespace kneepoint
