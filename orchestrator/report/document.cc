// SPDX-License-Identifier: Apache-2.0
//
// All that a report says, decided here once; writers only draw it.
#include "orchestrator/report/document.h"

#include <utility>

#include "orchestrator/model/provenance.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {

const CostCurve* Document::costs_of(const CurveView& view) const {
  for (std::size_t c = 0; cost && c < cost->curves.size(); ++c) {
    if (&summary().curves[cost->curves[c].index] == view.curve) return &cost->curves[c];
  }
  return nullptr;
}

Document make_document(StudyEvidence evidence, const AnalysisOptions& options) {
  StudyAnalysis analysis = analyse(evidence, options);
  return make_document(std::move(evidence), std::move(analysis));
}

Document make_document(StudyEvidence evidence, StudyAnalysis analysis) {
  Document document;
  document.study = std::move(evidence);
  document.analysis = std::move(analysis);
  const StudySummary& summary = document.analysis.summary;
  const std::vector<CurveView> views = curve_views(document.analysis);
  std::vector<std::string> labels;
  for (const CurveView& view : views) {
    labels.push_back(view.label);
    document.sentences.push_back(sentence_of(view));
    document.curves.push_back(
        {make_curve_table(*view.curve, *view.floor_knee), curve_tables(view)});
  }
  document.headline = headline_of(summary, labels);
  if (!views.empty()) {
    document.questions = questions_of(document.analysis, views);
  }
  document.tables = study_tables(document.analysis);
  document.queue = queue_line(document.analysis);
  document.findings = study_findings(document.analysis);
  if (document.analysis.builds) {
    document.findings.insert(document.findings.begin(),
                             build_verdict_line(document.study.id, *document.analysis.builds));
  }
  for (const Curve& curve : summary.curves) {
    if (!curve.stand_in) continue;
    document.findings.insert(document.findings.begin(), std::string("the study ") + kStandInCaveat);
    break;
  }
  document.notes = notes_of(document.study, summary, labels);
  if (document.analysis.queue && document.analysis.queue->packed) {
    document.notes.emplace_back(
        "Packed: intervals are within allocations; what differs between allocations is not in "
        "them.");
  }
  document.red_reason = red_reason_of(document.study, summary, labels);
  document.red = !document.red_reason.empty();
  return document;
}

Document make_document(ReportAnswer answer) {
  Document document = make_document(std::move(answer.study), std::move(answer.analysis));
  if (answer.prices) {
    add_cost(document, make_cost_report(document.analysis, *std::move(answer.prices),
                                        std::move(answer.costs)));
  }
  return document;
}

void add_cost(Document& document, CostReport cost) {
  answer_prices(cost.book.currency, document.questions);
  document.cost = std::move(cost);
  document.cost_tables = cost_tables(*document.cost, curve_views(document.analysis));
}

}  // namespace kneepoint
