// SPDX-License-Identifier: Apache-2.0
//
// Weights and data of the learning workloads: a number from (seed, stream, index) alone, so that
// every rank can make any part of a matrix and all agree.
#pragma once

#include <cstdint>

namespace kneepoint::workloads {

// Uniform in [-1, 1) with 24 bits; splitmix64's mixing function over a combined index.
inline float hashed_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  std::uint64_t z = seed * 0xa0761d6478bd642fULL + stream * 0xd1342543de82ef95ULL +
                    (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<float>(static_cast<std::int32_t>(z >> 40) - (1 << 23)) * 0x1.0p-23F;
}

}  // namespace kneepoint::workloads
