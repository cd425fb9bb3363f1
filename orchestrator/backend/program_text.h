// SPDX-License-Identifier: Apache-2.0
//
// The part of a step in the allocation file that says what to take from its output, when its answer
// is wrong, and which files come and stay. Fields that say nothing are left out.
#pragma once

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint {

// What is sent through a pod's log is bounded: logs are rotated.
constexpr std::int64_t kMostKeptBytes = 64 << 20;
constexpr std::int64_t kMostKeptBytesInLog = 1 << 20;

// `keep_bytes`: of all files that one step may keep.
void write_program(JsonWriter& w, const Step& step, std::int64_t keep_bytes);

}  // namespace kneepoint
