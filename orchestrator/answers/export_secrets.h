// SPDX-License-Identifier: Apache-2.0
//
// The last look before a pack is written: is a value that was left out of plan and site anywhere
// else in it?
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/pack/tar.h"
#include "orchestrator/plan/site/redaction.h"

namespace kneepoint {

// The values of a file, of variables and of files with secrets that are long enough to be found.
// Files that can't be read here are passed over: what nobody can read, nobody put into the pack.
std::vector<std::string> known_secrets(const Context& context, const Redacted& redacted);

// The error names the part, never the value.
Result<void> refuse_secrets(const std::vector<TarMember>& parts,
                            const std::vector<std::string>& secrets);

}  // namespace kneepoint
