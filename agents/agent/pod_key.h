// SPDX-License-Identifier: Apache-2.0
//
// The key with which the pods of one allocation know each other. It must not reach a workload: it
// is wiped from the environment, also from what /proc shows of it, before anything is started.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/base/result.h"

namespace kneepoint::agent {

constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kNonceBytes = 32;

// HMAC-SHA-256, 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view message);

// In a time that depends on the lengths alone.
bool same_bytes(std::string_view a, std::string_view b);

// The kernel's random bytes.
std::string random_nonce();

// "" if it is no even number of hexadecimal digits.
std::string bytes_of_hex(std::string_view hex);

// The value of a variable, which is then gone; "" if there was none.
std::string take_variable(const std::string& name);

// No other process of this user can look into this one (it may hold a key).
void hide_memory();

}  // namespace kneepoint::agent
