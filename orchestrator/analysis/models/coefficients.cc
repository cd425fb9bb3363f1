// SPDX-License-Identifier: Apache-2.0
//
// Derivatives are by hand; each is monotone where it is searched, so its root is the only one.
#include "orchestrator/analysis/models/coefficients.h"

#include <cmath>

namespace kneepoint {
namespace {

constexpr double kLargestK = 1e15;  // a root beyond it is none
const double kLn2 = std::log(2.0);

// The root of a function that rises from below 0 at `low`; none when it is not above 0 by
// kLargestK.
template <typename Function>
std::optional<double> root_above(double low, Function f) {
  if (f(low) >= 0) return low;
  double high = low * 2;
  while (f(high) < 0) {
    low = high;
    high *= 2;
    if (high > kLargestK) return std::nullopt;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    (f(middle) < 0 ? low : high) = middle;
  }
}

}  // namespace

std::array<double, 4> terms_at(double k) {
  return {1, 1 / k, std::log2(k), k - 1};
}

double Coefficients::at(double k) const {
  return one + inverse_k / k + log2_k * std::log2(k) + k_minus_1 * (k - 1);
}

std::optional<double> fastest_k(const Coefficients& c) {
  // -b/K² + c/(K·ln 2) + d = 0, solved without cancellation.
  const double slope = c.log2_k / kLn2;
  const double sum = slope + std::sqrt(slope * slope + 4 * c.inverse_k * c.k_minus_1);
  if (sum == 0) {
    if (c.inverse_k > 0) return std::nullopt;
    return 1;  // constant
  }
  const double k = 2 * c.inverse_k / sum;
  if (k > kLargestK) return std::nullopt;
  return k < 1 ? 1 : k;
}

std::optional<double> most_powerful_k(Mode mode, const Coefficients& c) {
  const double growth = 2 * c.log2_k / kLn2;
  if (mode == Mode::strong) {
    // T + 2K·T' = 0
    return root_above(1, [&](double k) {
      return c.one - c.k_minus_1 + growth - c.inverse_k / k + c.log2_k * std::log2(k) +
             3 * c.k_minus_1 * k;
    });
  }
  // Without the linear term K/T² grows for ever, whatever the logarithm does. With it 2K·T' - T is
  // least at K = c/(d·ln 2) and rises from there on; weak curves have no 1/K.
  if (c.k_minus_1 == 0) return std::nullopt;
  const auto excess = [&](double k) {
    return growth + c.k_minus_1 * (k + 1) - c.one - c.log2_k * std::log2(k);
  };
  const double least = c.log2_k / (c.k_minus_1 * kLn2);
  const double low = least < 1 ? 1 : least;
  if (excess(low) >= 0) return 1;
  return root_above(low, excess);
}

std::optional<double> crossing_k(Mode mode, const Coefficients& c, double k0, double floor) {
  if (mode == Mode::strong) {
    const double limit = k0 * c.at(k0) / floor;
    return root_above(k0, [&](double k) { return k * c.at(k) - limit; });
  }
  const double limit = c.at(k0) / floor;
  return root_above(k0, [&](double k) { return c.at(k) - limit; });
}

}  // namespace kneepoint
