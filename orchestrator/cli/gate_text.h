// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for people, for programs and for the test pages of CI systems.
#pragma once

#include <string>

#include "orchestrator/cli/gate_report.h"

namespace kneepoint::cli {

// The one line that ends every form: "REGRESSED  jacobi strong: 1.052 times ...".
std::string verdict_line(const GateReport& report);

// "Baseline x-1a2b3c4d-3, build /opt/app (0f3c...)."
std::string baseline_line(const Baseline& baseline);

// When the level of each curve changed, and between which builds.
std::string since_text(const GateReport& report, int width);

std::string gate_text(const GateReport& report, int width);
std::string gate_json(const GateReport& report);
std::string gate_markdown(const GateReport& report);
std::string gate_junit(const GateReport& report);

}  // namespace kneepoint::cli
