// SPDX-License-Identifier: Apache-2.0
//
// Document: a report as a value. Writers only draw it; none of them computes.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/summary.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct Document {
  StudyEvidence study;  // points' runs included
  StudySummary summary;
  std::vector<std::string> notes;    // what a reader must know before believing the tables
  std::string headline;              // one line: the answer
  std::vector<std::string> answers;  // one line per curve: which K, how sure, where the knee is
  // Nothing ran, or every run of some point failed. Said before anything else.
  bool red = false;
  std::string red_reason;
};

Document make_document(StudyEvidence evidence);

struct TerminalStyle {
  bool color = false;
  int width = 100;
};

std::string to_terminal(const Document& document, const TerminalStyle& style);
std::string to_markdown(const Document& document);
std::string to_json(const Document& document);
std::string to_csv(const Document& document);

}  // namespace kneepoint
