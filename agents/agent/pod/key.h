// SPDX-License-Identifier: Apache-2.0
//
// The key with which the pods of one allocation know each other. It must not reach a workload: it
// is wiped from the environment, also from what /proc shows of it, before anything is started.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/base/hmac.h"
#include "orchestrator/base/result.h"

namespace kneepoint::agent {

constexpr std::size_t kMacBytes = 32;
constexpr std::size_t kNonceBytes = 32;

using kneepoint::bytes_of_hex;
using kneepoint::hmac_sha256;
using kneepoint::same_bytes;

// The kernel's random bytes.
std::string random_nonce();

// The value of a variable, which is then gone; "" if there was none.
std::string take_variable(const std::string& name);

// No other process of this user can look into this one (it may hold a key).
void hide_memory();

}  // namespace kneepoint::agent
