// SPDX-License-Identifier: Apache-2.0
//
// Random numbers from counters alone, without a state, so that every rank can make any part of the
// data and all agree. Philox4x32-10 makes four words from a counter and a key; its functions are
// static on purpose: each kernel set must keep the copy made for its own processor.
#pragma once

#include <cstdint>

namespace kneepoint::workloads {

struct PhiloxWords {
  std::uint32_t w0, w1, w2, w3;
};

__attribute__((always_inline)) static inline PhiloxWords philox(PhiloxWords c, std::uint32_t k0,
                                                                std::uint32_t k1) {
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * c.w0;
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * c.w2;
    c = {static_cast<std::uint32_t>(b >> 32) ^ c.w1 ^ k0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c.w3 ^ k1, static_cast<std::uint32_t>(a)};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return c;
}

// Whether the point (x, y) / 2^32 lies in the unit circle; 31 bits each, so that integers decide.
__attribute__((always_inline)) static inline std::int64_t in_circle(std::uint32_t x,
                                                                    std::uint32_t y) {
  const std::uint64_t a = x >> 1;
  const std::uint64_t b = y >> 1;
  return a * a + b * b < (std::uint64_t{1} << 62) ? 1 : 0;
}

// Weights and data of the learning workloads: a number from (seed, stream, index).
// Uniform in [-1, 1) with 24 bits; splitmix64's mixing function over a combined index.
static inline float hashed_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  std::uint64_t z = seed * 0xa0761d6478bd642fULL + stream * 0xd1342543de82ef95ULL +
                    (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<float>(static_cast<std::int32_t>(z >> 40) - (1 << 23)) * 0x1.0p-23F;
}

}  // namespace kneepoint::workloads
