// SPDX-License-Identifier: Apache-2.0
//
// The body of POST /api/v1/studies. Names of files only: a path never comes from outside.
#pragma once

#include <string>
#include <string_view>

#include "orchestrator/base/result.h"
#include "orchestrator/server/dashboard/hooks.h"

namespace kneepoint {

Result<StartRequest> read_start_request(std::string_view body);

// A name that stays in its folder: no slash, no leading dot, printable.
bool stays_in_folder(std::string_view name);

}  // namespace kneepoint
