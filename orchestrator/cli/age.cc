// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/age.h"

#include <charconv>

namespace kneepoint::cli {

Result<Nanoseconds> parse_age(const std::string& flag, const std::string& text) {
  constexpr std::int64_t kMost = 100'000;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  const std::string unit(rest, end);
  const Nanoseconds one = unit == "h" ? kHour : unit == "d" ? 24 * kHour : 7 * 24 * kHour;
  const bool known = unit == "h" || unit == "d" || unit == "w";
  if (problem != std::errc() || !known || number < 0 || number > kMost) {
    return Error{ErrorCode::invalid,
                 flag + ": expected a whole number of hours, days or weeks (36h, 90d, 12w), got '" +
                     text + "'"};
  }
  return number * one;
}

}  // namespace kneepoint::cli
