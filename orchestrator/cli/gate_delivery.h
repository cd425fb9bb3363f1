// SPDX-License-Identifier: Apache-2.0
//
// A night's verdict, the same for `gate` and `nightly`: how it is come to, and where it goes: the
// database, files, the exit code. What fails afterwards is said and never changes it.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/night/confirm.h"
#include "orchestrator/answers/night/gate.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {

struct Judged {
  GateReport report;
  Confirmed confirmed;  // with `confirm`; interrupted: the verdict waits, and is not kept
};
// `confirm`: what is suspect is measured at once. The verdict is kept in the database.
Result<Judged> judge_night(Session& session, StudyStore& store, const StudyRow& tonight,
                           bool confirm);

struct GateOutputs {
  std::string junit, summary, prometheus;  // files; "": not wanted
  bool github_annotations = false;
};

// The flags of a command with those for outputs after them.
std::vector<Flag> with_gate_outputs(std::vector<Flag> flags);
GateOutputs gate_outputs(const Arguments& arguments);

// False: a file could not be written, which was said.
bool deliver(Session& session, const GateOutputs& outputs, const GateReport& report);

int gate_exit_code(Verdict verdict, bool strict);
// The verdict's own code; 3 where that would hide that a file is missing.
int exit_code_after(bool delivered, int verdict_code);

}  // namespace kneepoint::cli
