// SPDX-License-Identifier: Apache-2.0
//
// Where a verdict goes, the same for `gate` and `nightly`: the database, files, the exit code. What
// fails afterwards is said and never changes it.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/gate.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"

namespace kneepoint::cli {

struct GateOutputs {
  std::string junit, summary, prometheus;  // files; "": not wanted
  bool github_annotations = false;
};

// The flags of a command with those for outputs after them.
std::vector<Flag> with_gate_outputs(std::vector<Flag> flags);
GateOutputs gate_outputs(const Arguments& arguments);

// In the database, which must be writable.
Result<void> remember_verdict(const Session& session, StudyStore& store, const GateReport& report);

// False: a file could not be written, which was said.
bool deliver(Session& session, const GateOutputs& outputs, const GateReport& report);

int gate_exit_code(Verdict verdict, bool strict);
// The verdict's own code; 3 where that would hide that a file is missing.
int exit_code_after(bool delivered, int verdict_code);

}  // namespace kneepoint::cli
