// SPDX-License-Identifier: Apache-2.0
//
// Keyed hashes and what goes with keys: hexadecimal, the kernel's random bytes, a comparison that
// takes the same time whatever the bytes are. Keys never reach a log or a command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kneepoint {

// HMAC-SHA-256, 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view message);

// In a time that depends on the lengths alone.
bool same_bytes(std::string_view a, std::string_view b);

// The kernel's.
std::string random_bytes(std::size_t count);

// "" if it is no even number of hexadecimal digits.
std::string bytes_of_hex(std::string_view hex);
std::string hex_of_bytes(std::string_view bytes);

}  // namespace kneepoint
