// SPDX-License-Identifier: Apache-2.0
//
// Evidence packs as `import` and `verify` take them.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {

// `bytes` are those of the file that the arguments name.
Result<int> import_pack(Session& session, const Arguments& arguments, const std::string& bytes);

// The public key of --key; none: it was not given.
Result<std::optional<std::string>> trusted_key_of(const Arguments& arguments);

}  // namespace kneepoint::cli
