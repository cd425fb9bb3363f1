// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for what watches over it: pages of CI systems and monitoring. Pure; a name from
// a plan is quoted as each form wants it, and can't become anything else there.
#pragma once

#include <string>

#include "orchestrator/answers/gate.h"
#include "orchestrator/base/clock.h"

namespace kneepoint::cli {

// Workflow commands of GitHub Actions, one a line: the verdict, then what is slower or failed. A
// page shows ten of a level and drops the rest, so there are never more.
std::string gate_annotations(const GateReport& report);

// Gauges for the textfile collector of node_exporter. `judged` is wall time.
std::string gate_prometheus(const GateReport& report, Nanoseconds judged);

std::string gate_markdown(const GateReport& report);
std::string gate_junit(const GateReport& report);

}  // namespace kneepoint::cli
