// SPDX-License-Identifier: Apache-2.0
//
// What the answers of import and predict share: how a curve is called, and caveats in JSON.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/json_put.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint::cli {

// "jacobi, strong"; the build before it where it is not the default.
std::string curve_name(const std::string& build, const std::string& case_name, Mode mode);

// "caveats": [{"code", "message"}, ...] within an object.
void put_caveats(JsonWriter& json, const std::vector<Caveat>& caveats);

}  // namespace kneepoint::cli
