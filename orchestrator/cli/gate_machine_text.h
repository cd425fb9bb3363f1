// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for what watches over it: pages of CI systems, monitoring, chat. Pure; a name
// from a plan is quoted as each form wants it, and can't become anything else there.
#pragma once

#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/cli/gate_text.h"

namespace kneepoint::cli {

// Workflow commands of GitHub Actions, one a line: the verdict, then what is slower or failed. A
// page shows ten of a level and drops the rest, so there are never more.
std::string gate_annotations(const GateReport& report);

// GitLab's code quality report. What is slower keeps its fingerprint from night to night.
std::string gate_code_quality(const GateReport& report, const std::string& plan_path);

// Gauges for the textfile collector of node_exporter. `judged` is wall time.
std::string gate_prometheus(const GateReport& report, Nanoseconds judged);

// What Slack's incoming webhooks take, and those of others that copied them.
std::string gate_message(const GateReport& report);

}  // namespace kneepoint::cli
