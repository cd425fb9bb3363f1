// SPDX-License-Identifier: Apache-2.0
//
// Two hashes: SHA-256 where identity must not collide (the series hash), and FNV-1a where bytes are
// only guarded against truncation and mangling (records) or mixed into a seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kneepoint {

constexpr std::uint64_t kFnvOffset = 14695981039346656037ULL;

// Incremental: fnv1a64(b, fnv1a64(a)) == fnv1a64(ab).
constexpr std::uint64_t fnv1a64(std::string_view bytes, std::uint64_t state = kFnvOffset) {
  for (const char c : bytes) {
    state ^= static_cast<unsigned char>(c);
    state *= 1099511628211ULL;
  }
  return state;
}

std::string hex64(std::uint64_t value);          // 16 lower-case digits
std::string sha256_hex(std::string_view bytes);  // 64 lower-case digits

}  // namespace kneepoint
