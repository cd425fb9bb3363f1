// SPDX-License-Identifier: Apache-2.0
//
// The sentences that the forms of a gate's answer share.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/cli/gate_report.h"

namespace kneepoint::cli {

std::string ratio_text(const NightTest& test);  // "1.058 [1.020, 1.098]"

// Slower ones first, curves before points; then faster ones.
std::vector<const GateFinding*> findings_of(const GateReport& report);

// The test that makes it a finding, else the one of the last night. It has one.
const NightTest& shown_test(const GateFinding& finding);

// A finding in one sentence: ratio, what moved, since when.
std::string words_of(const GateReport& report, const GateFinding& finding);

// The change that `since` is the first night of: "last of the old level A (program x), first of the
// new one B (program y)", with the nights between that are not in the history.
std::string range_of(const GateReport& report, const DatedChange& change);

// Drift, knee, baseline, builds in turns: a sentence each.
std::vector<std::string> other_findings(const GateReport& report);

// How small a change these nights could show; "": nothing is known.
std::string sensitivity(const GateReport& report);

}  // namespace kneepoint::cli
