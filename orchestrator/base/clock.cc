// SPDX-License-Identifier: Apache-2.0
//
// The machine's clocks, and times as people read them.
#include "orchestrator/base/clock.h"

#include <cstdio>
#include <ctime>

namespace kneepoint {
namespace {

Nanoseconds read(clockid_t id) {
  timespec t{};
  ::clock_gettime(id, &t);
  return static_cast<Nanoseconds>(t.tv_sec) * kSecond + t.tv_nsec;
}

class SystemClock final : public Clock {
 public:
  Nanoseconds wall() const override { return read(CLOCK_REALTIME); }
  Nanoseconds steady() const override { return read(CLOCK_MONOTONIC); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string to_utc_text(Nanoseconds wall) {
  const std::time_t seconds = static_cast<std::time_t>(wall / kSecond);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string to_duration_text(Nanoseconds duration) {
  const char* sign = duration < 0 ? "-" : "";
  const double s = to_seconds(duration < 0 ? -duration : duration);
  char text[48];
  if (s >= 3600) {
    const long minutes = static_cast<long>(s / 60 + 0.5);
    std::snprintf(text, sizeof text, "%s%ld h %02ld min", sign, minutes / 60, minutes % 60);
  } else if (s >= 99.95) {
    const long seconds = static_cast<long>(s + 0.5);
    std::snprintf(text, sizeof text, "%s%ld min %02ld s", sign, seconds / 60, seconds % 60);
  } else {
    constexpr struct {
      double least;
      double per_second;
      const char* unit;
    } kUnits[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    const auto* unit = kUnits;
    while (s > 0 && s < unit->least) ++unit;
    std::snprintf(text, sizeof text, "%s%.3g %s", sign, s * unit->per_second, unit->unit);
  }
  return text;
}

}  // namespace kneepoint
