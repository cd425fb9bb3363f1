// SPDX-License-Identifier: Apache-2.0
//
// The numbers behind the sentences, as tables of texts: models, knees, predictions, where the time
// goes, iterations, roofline, audits. Terminal and Markdown draw the same ones. What was not
// measured has no table.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/tables/curve_table.h"

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

}  // namespace kneepoint
