// SPDX-License-Identifier: Apache-2.0
//
// The words and the tables of `audit`: what the claim comes to, the verdict of every rule, the
// questions to ask.
#include "orchestrator/answers/study/audit.h"

#include <fmt/core.h>

#include <algorithm>

#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr int kVerdictColumn = 16;

std::string counts_words(const ClaimAudit& audit) {
  return fmt::format(
      "Of {}: {} met, {} that the claim says nothing about, {} suspicious, {} contradicted.",
      counted(static_cast<long>(audit.findings.size()), "rule"), audit.count(RuleVerdict::ok),
      audit.count(RuleVerdict::missing), audit.count(RuleVerdict::suspicious),
      audit.count(RuleVerdict::contradicted));
}

// `head` in a column of its own beside the wrapped sentence.
std::string beside(const std::string& head, const std::string& sentence, int width, int column) {
  return wrap(plain(sentence), width, column).replace(0, head.size(), head);
}

std::string numbers_table(const ClaimNumbers& numbers) {
  if (numbers.points.size() < 2) return "";
  std::vector<ClaimNumber> points = {{numbers.k0, 1, 1, {}, {}}};
  points.insert(points.end(), numbers.points.begin(), numbers.points.end());
  std::vector<ColumnOf<ClaimNumber>> columns = {
      {"K", [](auto& at) { return std::to_string(at.k); }},
      {"S", [](auto& at) { return number_text(at.speedup, 4); }},
      {"E", [](auto& at) { return efficiency_text(at.efficiency); }},
  };
  if (std::any_of(points.begin(), points.end(), [](auto& at) { return at.serial.has_value(); })) {
    columns.push_back(
        {"SERIAL", [](auto& at) { return at.serial ? percent_text(*at.serial) : ""; }});
  }
  return "\n" + to_table(columns, points, 2);
}

}  // namespace

std::string to_text(const AuditAnswer& answer, int width) {
  std::string text;
  for (const AuditedClaim& one : answer.claims) {
    if (!text.empty()) text += "\n";
    text += fmt::format("Claim: {}{}\n\n{}{}\n", plain(one.title),
                        one.claim.source.empty() ? "" : " (" + plain(one.claim.source) + ")",
                        wrap(plain(one.audit.summary), width, 0),
                        wrap(counts_words(one.audit), width, 0));
    for (const RuleFinding& finding : one.audit.findings) {
      text += beside(fmt::format("  {}", to_string(finding.verdict)),
                     finding.rule + ": " + finding.sentence, width, kVerdictColumn);
    }
    text += numbers_table(one.audit.numbers);
    if (!one.audit.questions.empty()) text += "\nAsk:\n";
    for (std::size_t i = 0; i < one.audit.questions.size(); ++i) {
      text += beside(fmt::format("{:>3}.", i + 1), one.audit.questions[i], width, 5);
    }
  }
  if (!answer.caveats.empty()) text += "\n" + notes_text(answer.caveats, width);
  return text;
}

}  // namespace kneepoint
