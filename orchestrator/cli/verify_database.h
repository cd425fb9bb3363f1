// SPDX-License-Identifier: Apache-2.0
//
// kneepoint verify of a database: the rules that the store knows, and whether each round rests on
// the evidence that was there when it was decided.
#pragma once

#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/session.h"

namespace kneepoint::cli {

// By its first bytes.
bool is_database(const std::string& path);

Result<int> verify_database(Session& session, const std::string& path);

}  // namespace kneepoint::cli
