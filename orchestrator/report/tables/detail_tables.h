// SPDX-License-Identifier: Apache-2.0
//
// The numbers behind the sentences, as tables of texts: points, models, knees, predictions, where
// the time goes, iterations, roofline, audits, builds, the queue. Terminal and pages draw the same
// ones. What was not measured has no table.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/table.h"

namespace kneepoint {

// One curve without its knee and its answer: one row per point, K ascending.
struct CurveTable : TextTable {       // titled "jacobi, strong: 1 thread per rank, bind core"
  std::string held_fixed;             // "held fixed: ...", with T(K0) in seconds
  std::vector<std::string> findings;  // to be said before the numbers
  std::vector<std::string> flags;     // one per point, "" if none
  std::vector<double> efficiency;     // one per point, for bars; 0: none
};
CurveTable make_curve_table(const Curve& curve, const KneeAnswer& knee);

// All that is known of one curve beside it.
std::vector<TextTable> curve_tables(const CurveView& view);
void add_point_tables(const CurveView& view, std::vector<TextTable>& tables);
void add_warnings(const std::vector<Warning>& warnings, std::vector<TextTable>& tables);

// Builds and shapes against each other, collectives, the queue, warnings: of the study as a whole.
std::vector<TextTable> study_tables(const StudyAnalysis& analysis);

// "REGRESSED  STUDY: new against old: slower; jacobi strong (2 K) 1.062 [1.041, 1.083], ..."
std::string build_verdict_line(const std::string& study, const BuildComparison& builds);
// What `run --ab` ends with: the builds' tables, then that line.
std::string to_build_text(const std::string& study, const BuildComparison& builds, int width);

// One line: "Queue: one job per run (60 jobs); each run got its own nodes; waited ...". "": none.
std::string queue_line(const StudyAnalysis& analysis);
// What to know of the study before its numbers: a bad node, and what to do about it.
std::vector<std::string> study_findings(const StudyAnalysis& analysis);

// "queue" and "bad_nodes", null where there is none. They differ between executions with the same
// results, so they belong under "volatile".
void put_queue(JsonWriter& w, const StudyAnalysis& analysis);

}  // namespace kneepoint
