// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/model/money.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

__extension__ typedef __int128 Wide;

constexpr int kDecimals = 6;
constexpr std::int64_t kUnit = 1'000'000;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t divide_rounded(Wide value, Wide by) {
  const Wide half = by / 2;
  const Wide whole = (value + (value < 0 ? -half : half)) / by;
  return static_cast<std::int64_t>(std::clamp<Wide>(whole, -Wide{kMost}, Wide{kMost}));
}

}  // namespace

std::optional<std::int64_t> parse_micros(std::string_view text) {
  std::int64_t micros = 0;
  int decimals = -1;  // -1: before the point
  int digits = 0;
  for (const char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    if (decimals == kDecimals) return std::nullopt;
    if (decimals >= 0) ++decimals;
    ++digits;
    micros = micros * 10 + (c - '0');
    if (micros > kMostMicros) return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  for (int i = std::max(decimals, 0); i < kDecimals; ++i) {
    micros *= 10;
    if (micros > kMostMicros) return std::nullopt;
  }
  return micros;
}

std::int64_t per_hour(std::int64_t rate, std::int64_t count, Nanoseconds time) {
  ENSURE(rate >= 0 && rate <= kMostMicros, "a rate that the reader would have refused");
  ENSURE(count >= 0 && count <= 100'000'000 && time >= 0, "a use that no study has");
  // 1e12 x 1e8 x 5.8e17 stays below 1.7e38: no run is longer than 18 years.
  constexpr Nanoseconds kLongest = std::numeric_limits<Nanoseconds>::max() / 16;
  return divide_rounded(Wide{rate} * count * std::min(time, kLongest), kHour);
}

std::int64_t round_micros(double units) {
  ENSURE(std::isfinite(units), "an amount that is no number");
  const double micros = std::round(units * static_cast<double>(kUnit));
  if (micros >= static_cast<double>(kMost)) return kMost;
  if (micros <= -static_cast<double>(kMost)) return -kMost;
  return static_cast<std::int64_t>(micros);
}

double to_units(std::int64_t micros) {
  return static_cast<double>(micros) / static_cast<double>(kUnit);
}

std::string micros_text(std::int64_t micros) {
  const bool negative = micros < 0;
  const auto size = static_cast<std::uint64_t>(negative ? -micros : micros);
  char text[48];
  std::snprintf(text, sizeof text, "%s%llu.%06llu", negative ? "-" : "",
                static_cast<unsigned long long>(size / kUnit),
                static_cast<unsigned long long>(size % kUnit));
  std::string out = text;
  while (out.back() == '0' && out[out.size() - 3] != '.') out.pop_back();
  return out;
}

std::string to_string(const Money& money) {
  return micros_text(money.micros) + " " + money.currency;
}

std::string rounded_text(const Money& money) {
  std::int64_t step = 10'000;  // a cent
  const std::int64_t size = money.micros < 0 ? -money.micros : money.micros;
  while (step > 1 && size < 100 * step) step /= 10;
  return to_string({divide_rounded(money.micros, step) * step, money.currency});
}

}  // namespace kneepoint
