// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer in every form, for people, for programs and for what watches over it: pages of
// CI systems and monitoring. What is kept of a series, and how noisy it is. Pure; a name from a
// plan is quoted as each form wants it, and can't become anything else there.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/night/baseline.h"
#include "orchestrator/answers/night/gate.h"
#include "orchestrator/answers/night/noise.h"
#include "orchestrator/base/clock.h"

namespace kneepoint {

// The one line that ends every form: "REGRESSED  jacobi strong: 1.052 times ...".
std::string verdict_line(const GateReport& report);

std::string gate_text(const GateReport& report, int width);
// When the level of each curve changed, and between which builds.
std::string since_text(const GateReport& report, int width);
// docs/reference/gate.md lists every field.
std::string gate_json(const GateReport& report);

std::string gate_markdown(const GateReport& report);
std::string gate_junit(const GateReport& report);
// Workflow commands of GitHub Actions, one a line: the verdict, then what is slower or failed. A
// page shows ten of a level and drops the rest, so there are never more.
std::string gate_annotations(const GateReport& report);
// Gauges for the textfile collector of node_exporter. `judged` is wall time.
std::string gate_prometheus(const GateReport& report, Nanoseconds judged);

std::string series_text(const SeriesView& view, int width);
std::string series_json(const SeriesView& view);

std::string baselines_text(const std::vector<Baseline>& all);
std::string baselines_json(const std::vector<Baseline>& all);

// What an import of nights did, in a sentence.
std::string imported_text(const ImportedHistory& imported);

std::string noise_text(const NoiseReport& report, int width);
std::string noise_json(const NoiseReport& report);
// What the forms share.

// Slower ones first, curves before points; then faster ones.
std::vector<const GateFinding*> findings_of(const GateReport& report);
// A finding in one sentence: ratio, what moved, since when.
std::string words_of(const GateFinding& finding);
// Drift, knee, baseline, builds in turns: a sentence each.
std::vector<std::string> other_findings(const GateReport& report);
// How small a change these nights could show; "": nothing is known.
std::string sensitivity(const GateReport& report);

// What is known of the series' noise, in one sentence.
std::string calibration_words(const Calibration& calibration);

}  // namespace kneepoint
