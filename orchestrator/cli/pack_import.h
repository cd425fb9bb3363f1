// SPDX-License-Identifier: Apache-2.0
//
// `import` of an evidence pack. The whole pack is checked before the database is touched, and
// everything is written in one transaction.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"

namespace kneepoint::cli {

// `bytes` are those of the file that the arguments name.
Result<int> import_pack(Session& session, const Arguments& arguments, const std::string& bytes);

// The public key of --key; none: it was not given.
Result<std::optional<std::string>> trusted_key_of(const Arguments& arguments);

}  // namespace kneepoint::cli
