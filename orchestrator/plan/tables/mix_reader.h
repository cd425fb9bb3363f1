// SPDX-License-Identifier: Apache-2.0
//
// Reads a mix of workloads; the same manners as plan_reader: every problem at once, each with its
// place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/mix.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct KeySet;

struct MixRead {
  Mix mix;
  std::vector<Problem> problems;
};

MixRead read_mix(std::string_view text, const std::string& path);

const KeySet& mix_keys();

}  // namespace kneepoint
