// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for people, for programs and for the test pages of CI systems.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/gate_history.h"

namespace kneepoint::cli {

struct GateReport {
  std::string study, series;
  GateHistory history;
  GateAnswer answer;
  GateOptions options;
  std::vector<std::string> left_out;  // sentences: studies of the series that don't count
};

// The one line that ends every form: "REGRESSED  jacobi strong: 1.052 times ...".
std::string verdict_line(const GateReport& report);

std::string gate_text(const GateReport& report, int width);
std::string gate_json(const GateReport& report);
std::string gate_markdown(const GateReport& report);
std::string gate_junit(const GateReport& report);

}  // namespace kneepoint::cli
