// SPDX-License-Identifier: Apache-2.0
//
// Where else a verdict goes, the same for `gate` and `nightly`. What fails is said and never
// changes it.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/cli/gate_text.h"

namespace kneepoint::cli {

struct GateOutputs {
  std::string junit, summary, prometheus;  // files; "": not wanted
  bool github_annotations = false;
};

// The flags of a command with those for outputs after them.
std::vector<Flag> with_gate_outputs(std::vector<Flag> flags);
GateOutputs gate_outputs(const Arguments& arguments);

// False: a file could not be written, which was said.
bool deliver(Session& session, const GateOutputs& outputs, const GateReport& report);

// The verdict's own code; 3 where that would hide that a file is missing.
int exit_code_after(bool delivered, int verdict_code);

}  // namespace kneepoint::cli
