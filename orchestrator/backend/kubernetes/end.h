// SPDX-License-Identifier: Apache-2.0
//
// The note of an allocation's end, beside its allocation file: the Job is deleted then, and the
// next controller has to know.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/backend/launcher.h"

namespace kneepoint {

Result<void> write_end_note(const std::string& allocation_path, const Observation& end);
std::optional<Observation> read_end_note(const std::string& allocation_path, const JobRef& ref);

}  // namespace kneepoint
