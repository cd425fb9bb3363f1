// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for people and programs, and the sentences that all forms of it share.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/gate.h"

namespace kneepoint::cli {

// The one line that ends every form: "REGRESSED  jacobi strong: 1.052 times ...".
std::string verdict_line(const GateReport& report);

// "Baseline x-1a2b3c4d-3, build /opt/app (0f3c...)."
std::string baseline_line(const Baseline& baseline);

// Slower ones first, curves before points; then faster ones.
std::vector<const GateFinding*> findings_of(const GateReport& report);

// A finding in one sentence: ratio, what moved, since when.
std::string words_of(const GateReport& report, const GateFinding& finding);

// Drift, knee, baseline, builds in turns: a sentence each.
std::vector<std::string> other_findings(const GateReport& report);

// How small a change these nights could show; "": nothing is known.
std::string sensitivity(const GateReport& report);

// When the level of each curve changed, and between which builds.
std::string since_text(const GateReport& report, int width);

std::string gate_text(const GateReport& report, int width);
std::string gate_json(const GateReport& report);

}  // namespace kneepoint::cli
