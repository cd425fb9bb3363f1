// SPDX-License-Identifier: Apache-2.0
//
// T(K) = one + inverse_k/K + log2_k·log2 K + k_minus_1·(K-1), all >= 0: what every model is a part
// of, and the places on it that one asks for. Closed forms where there are any, else bisection.
#pragma once

#include <array>
#include <optional>

#include "orchestrator/base/fields.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

struct Coefficients {
  double one = 0, inverse_k = 0, log2_k = 0, k_minus_1 = 0;

  double at(double k) const;                        // T(K)
  double first() const { return one + inverse_k; }  // T(1)
  static constexpr auto fields() {
    using T = Coefficients;
    return described(one_line, field("one", &T::one), field("inverse_k", &T::inverse_k),
                     field("log2_k", &T::log2_k), field("k_minus_1", &T::k_minus_1));
  }
};

// The four terms at K, in the order of Coefficients.
std::array<double, 4> terms_at(double k);

// The K >= 1 where T is least; none when T falls for ever.
std::optional<double> fastest_k(const Coefficients& c);
// The K >= 1 where S·E is largest: strong max 1/(K·T²), weak max K/T²; none when it grows for ever.
std::optional<double> most_powerful_k(Mode mode, const Coefficients& c);
// The K >= k0 where E, relative to k0, falls to the floor; none when it never does.
std::optional<double> crossing_k(Mode mode, const Coefficients& c, double k0, double floor);

}  // namespace kneepoint
