// SPDX-License-Identifier: Apache-2.0
//
// Two hashes: SHA-256 where identity must not collide (the series hash), and FNV-1a where bytes are
// only guarded against truncation and mangling (records) or mixed into a seed. Besides what goes
// with keys: HMAC, the kernel's random bytes, a comparison in constant time, hexadecimal and
// base64. Keys never reach a log or a command line.
#pragma once

#include <cstddef>
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

// HMAC-SHA-256, 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view message);

// In a time that depends on the lengths alone.
bool same_bytes(std::string_view a, std::string_view b);

// The kernel's.
std::string random_bytes(std::size_t count);

// "" if it is no even number of hexadecimal digits.
std::string bytes_of_hex(std::string_view hex);
std::string hex_of_bytes(std::string_view bytes);

// base64 with padding and without line breaks, as JSON, YAML and logs carry it.
std::string base64_encoded(std::string_view bytes);
bool base64_decoded(std::string_view text, std::string& bytes);  // false: it is none

}  // namespace kneepoint
