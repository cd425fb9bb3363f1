// SPDX-License-Identifier: Apache-2.0
//
// `doctor --noise`: one build against itself on a site, several times over.
#pragma once

#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {

Result<int> measure_noise(Session& session, const Arguments& arguments);

}  // namespace kneepoint::cli
