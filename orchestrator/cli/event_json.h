// SPDX-License-Identifier: Apache-2.0
//
// Events in JSON: the same keys wherever a command lists them.
#pragma once

#include <vector>

#include "orchestrator/base/json_put.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

void write_events(JsonWriter& json, const std::vector<Event>& events);  // key and array

}  // namespace kneepoint::cli
