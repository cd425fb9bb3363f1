// SPDX-License-Identifier: Apache-2.0
//
// Money as whole millionths of a currency's unit: sums are exact. Rounding happens in one place, to
// the nearest millionth, halves away from zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/base/clock.h"

namespace kneepoint {

struct Money {
  std::int64_t micros = 0;
  std::string currency;  // "USD", "EUR", or an allocation's unit: "SU"

  bool operator==(const Money&) const = default;
};

// Nothing above this is taken as a price, so that no product of ours overflows.
constexpr std::int64_t kMostMicros = 1'000'000'000'000;  // a million units

// "2.50" exactly; none if it is no plain decimal number, is negative, has more than six decimals or
// is above kMostMicros.
std::optional<std::int64_t> parse_micros(std::string_view text);

// `rate` for an hour of each of `count` things, over `time`. Exact up to the rounding; the largest
// amount that can be written down where the product is larger.
std::int64_t per_hour(std::int64_t rate, std::int64_t count, Nanoseconds time);

// The nearest millionth to an amount in units; the amount is finite.
std::int64_t round_micros(double units);

double to_units(std::int64_t micros);

// "24.00", "0.003125", "1234567.00": at least two decimals, and as many as it takes.
std::string micros_text(std::int64_t micros);
std::string to_string(const Money& money);  // "24.00 USD"

// For people: rounded to cents from 1 on, below that to three significant digits.
std::string rounded_text(const Money& money);

}  // namespace kneepoint
