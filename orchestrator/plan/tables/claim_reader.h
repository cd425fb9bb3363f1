// SPDX-License-Identifier: Apache-2.0
//
// Reads a claim of scaling; the same manners as plan_reader: every problem at once, each with its
// place. docs/reference/audit.md has the keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/claim.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct ClaimRead {
  Claim claim;
  std::vector<Problem> problems;
};

ClaimRead read_claim(std::string_view text, const std::string& path);

// The largest K and speedup that anybody is taken seriously with.
inline constexpr int kMostClaimedK = 100'000'000;
inline constexpr double kMostClaimedSpeedup = 1e12;

}  // namespace kneepoint
