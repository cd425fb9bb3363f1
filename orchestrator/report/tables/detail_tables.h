// SPDX-License-Identifier: Apache-2.0
//
// The numbers behind the sentences, as tables of texts: models, knees, predictions, where the time
// goes, iterations, roofline, audits. Terminal and Markdown draw the same ones. What was not
// measured has no table.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/table.h"

namespace kneepoint {

struct DetailTable : TextTable {  // without columns: lines only
  std::string title;
  std::vector<std::string> lines;  // below the table, plain sentences
};

// All of one curve.
std::vector<DetailTable> detail_tables(const CurveView& view);

// Its parts, by what they rest on: the whole curve, each point.
void add_curve_details(const CurveView& view, std::vector<DetailTable>& tables);
void add_point_details(const CurveView& view, std::vector<DetailTable>& tables);
void add_profile_details(const CurveView& view, std::vector<DetailTable>& tables);
void add_metric_details(const CurveView& view, std::vector<DetailTable>& tables);

// Shapes against each other, collectives, warnings: of the study as a whole.
std::vector<DetailTable> study_tables(const StudyAnalysis& analysis);

// Names come from plans: nothing in them may steer a terminal.
void make_plain(DetailTable& table);

// ---- One curve as words, without its knee and its answer: a title, lines above, a table of texts,
// lines below. Terminal and Markdown draw the same one, so they can't disagree.

struct CurveTable : TextTable {       // one row per point, K ascending
  std::string title;                  // "jacobi, strong: 1 thread per rank, bind core"
  std::string held_fixed;             // "held fixed: ...", with T(K0) in seconds
  std::vector<std::string> findings;  // to be said before the numbers
  std::vector<std::string> flags;     // one per point, "" if none
  std::vector<double> efficiency;     // one per point, for bars; 0: none
  std::vector<std::string> below;     // further lines
};

CurveTable make_curve_table(const Curve& curve, const KneeAnswer& knee);

// ---- What a report says of the queue: which way it was used and what that held fixed, how long
// runs waited, and whether a node slows the runs that hold it.

// One line: "Queue: one job per run (60 jobs); each run got its own nodes; waited ...". "": none.
std::string queue_line(const StudyAnalysis& analysis);
// What to know of the study before its numbers: a bad node, and what to do about it.
std::vector<std::string> study_findings(const StudyAnalysis& analysis);

void add_queue_tables(const StudyAnalysis& analysis, std::vector<DetailTable>& tables);

// "queue" and "bad_nodes", null where there is none. They differ between executions with the same
// results, so they belong under "volatile".
void put_queue(JsonWriter& w, const StudyAnalysis& analysis);

}  // namespace kneepoint
