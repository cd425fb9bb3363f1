// SPDX-License-Identifier: Apache-2.0
//
// A YAML value as JSON, for what is handed on as it is. Words without quotes that JSON has
// (numbers, true, false, null) become that; everything else is a string.
#pragma once

#include <string>

#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {

std::string json_of(const YamlNode& node);

}  // namespace kneepoint
