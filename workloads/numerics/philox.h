// SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10, a counter-based generator: four words from a counter and a key, no state. The
// functions are static on purpose: each kernel set must keep the copy made for its own processor.
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

}  // namespace kneepoint::workloads
