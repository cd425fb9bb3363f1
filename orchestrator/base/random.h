// SPDX-License-Identifier: Apache-2.0
//
// Seeded randomness with a fixed algorithm (xoshiro256** seeded by splitmix64): the same seed gives
// the same numbers on every machine, compiler and standard library. Never use <random>'s
// distributions for anything that is stored or compared.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace kneepoint {

class Random {
 public:
  explicit Random(std::uint64_t seed);
  // A stream of its own for each purpose: Random(seed, "order") never disturbs Random(seed,
  // "noise").
  Random(std::uint64_t seed, std::string_view purpose);

  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound), unbiased; bound > 0
  double uniform();                          // in [0, 1), 53 bits
  double normal();                           // mean 0, deviation 1 (polar method)

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace kneepoint
