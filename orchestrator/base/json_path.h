// SPDX-License-Identifier: Apache-2.0
//
// A small path into a JSON document: `$.timing.total`, `results[-1].time`, `['odd key'][0]`. Names
// and indices only, one value at most: no wildcards, filters or slices. The plan reader checks what
// the agent follows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/result.h"

namespace kneepoint {

struct JsonStep {
  bool is_index = false;
  std::string name;
  int index = 0;  // negative: from the end
  bool operator==(const JsonStep&) const = default;
};

// The error says what was expected and at which position (from 1).
Result<std::vector<JsonStep>> parse_json_path(std::string_view text);

}  // namespace kneepoint
