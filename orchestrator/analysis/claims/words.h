// SPDX-License-Identifier: Apache-2.0
//
// The words that an audit of a claim is written in, and the claim in one paragraph.
#pragma once

#include <string>

#include "orchestrator/analysis/claims/numbers.h"

namespace kneepoint {

std::string fixed(double value, int decimals);
// Speedups and K in sentences: three digits, and all of them from 1000 on.
std::string amount(double value);
std::string workers(const Claim& claim, int count);  // "256 GPUs"
std::string unit_of(const Claim& claim);             // "GPU"

// Plain words: what the claim comes to.
std::string claim_summary(const Claim& claim, const ClaimNumbers& numbers);

}  // namespace kneepoint
