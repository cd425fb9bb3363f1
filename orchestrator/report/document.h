// SPDX-License-Identifier: Apache-2.0
//
// Document: a report as a value. Writers only draw it; none of them computes.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/study_analysis.h"
#include "orchestrator/answers/study/report.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/cost_section.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {

// What stands under the title of one curve.
struct CurvePart {
  CurveTable table;
  std::vector<TextTable> details;
};

struct Document {
  StudyEvidence study;  // points' runs included
  StudyAnalysis analysis;
  std::string headline;                // one line: which K to use
  std::string queue;                   // one line: how it was used; "": there was none
  std::vector<std::string> findings;   // of the study as a whole: a bad node
  std::vector<Question> questions;     // the five, answered
  std::vector<std::string> sentences;  // one per curve: knee, K to use, what limits it
  std::vector<CurvePart> curves;       // as analysis.curves
  std::vector<TextTable> tables;       // of the study as a whole
  std::optional<CostReport> cost;      // none: no prices are known
  std::vector<TextTable> cost_tables;
  std::vector<std::string> notes;  // what a reader must know before believing the tables
  // Nothing ran, or every run of some point failed. Said before anything else.
  bool red = false;
  std::string red_reason;

  const StudySummary& summary() const { return analysis.summary; }
  // nullptr: they are not known.
  const CostCurve* costs_of(const CurveView& view) const;
};

Document make_document(StudyEvidence evidence, const AnalysisOptions& options = {});
// The same of an analysis made already.
Document make_document(StudyEvidence evidence, StudyAnalysis analysis);
// With its costs where prices are known.
Document make_document(ReportAnswer answer);

// Prices are known: the section on cost, and no more "not known" among the answers.
void add_cost(Document& document, CostReport cost);

struct TerminalStyle {
  bool color = false;
  int width = 100;
  bool brief = false;   // without the tables of details
  bool unicode = true;  // false: figures of ASCII characters
};

std::string to_terminal(const Document& document, const TerminalStyle& style);
std::string to_markdown(const Document& document, bool brief = false);
enum class JsonExtent { whole, page };  // page: on one line, what its script computes from
std::string to_json(const Document& document, JsonExtent extent = JsonExtent::whole);
std::string to_csv(const Document& document);

}  // namespace kneepoint
