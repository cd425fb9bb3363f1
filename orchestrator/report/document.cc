// SPDX-License-Identifier: Apache-2.0
//
// All that a report says, decided here once; writers only draw it.
#include "orchestrator/report/document.h"

#include <utility>

#include "orchestrator/report/answers.h"
#include "orchestrator/report/notes.h"

namespace kneepoint {

Document make_document(StudyEvidence evidence) {
  Document document;
  document.study = std::move(evidence);
  document.summary = summarise(document.study);
  const StudySummary& summary = document.summary;
  const std::vector<std::string> labels = curve_labels(summary);
  for (std::size_t i = 0; i < summary.curves.size(); ++i) {
    document.answers.push_back(answer_of(summary.curves[i], summary.knees[i], labels[i]));
  }
  document.headline = headline_of(summary, labels, document.answers);
  document.notes = notes_of(document.study, summary, labels);
  document.red_reason = red_reason_of(document.study, summary, labels);
  document.red = !document.red_reason.empty();
  return document;
}

}  // namespace kneepoint
