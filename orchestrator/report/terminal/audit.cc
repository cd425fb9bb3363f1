// SPDX-License-Identifier: Apache-2.0
//
// The words and the tables of `audit`: what the claim comes to, the verdict of every rule, the
// questions to ask.
#include "orchestrator/answers/study/audit.h"

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
  const auto number = [&](RuleVerdict verdict) { return std::to_string(audit.count(verdict)); };
  return "Of " + counted(static_cast<long>(audit.findings.size()), "rule") + ": " +
         number(RuleVerdict::ok) + " met, " + number(RuleVerdict::missing) +
         " that the claim says nothing about, " + number(RuleVerdict::suspicious) +
         " suspicious, " + number(RuleVerdict::contradicted) + " contradicted.";
}

// The verdict stands in a column of its own beside the wrapped sentence.
std::string finding_text(const RuleFinding& finding, int width) {
  std::string text = wrap(plain(finding.rule + ": " + finding.sentence), width, kVerdictColumn);
  const std::string head = std::string("  ") + to_string(finding.verdict);
  return text.replace(0, head.size(), head);
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

std::string question_text(std::size_t number, const std::string& question, int width) {
  std::string text = wrap(plain(question), width, 5);
  const std::string head = (number < 10 ? "  " : " ") + std::to_string(number) + ".";
  return text.replace(0, head.size(), head);
}

}  // namespace

std::string to_text(const AuditAnswer& answer, int width) {
  std::string text;
  for (const AuditedClaim& one : answer.claims) {
    if (!text.empty()) text += "\n";
    text += "Claim: " + plain(one.title) +
            (one.claim.source.empty() ? "" : " (" + plain(one.claim.source) + ")") + "\n\n";
    text +=
        wrap(plain(one.audit.summary), width, 0) + wrap(counts_words(one.audit), width, 0) + "\n";
    for (const RuleFinding& finding : one.audit.findings) text += finding_text(finding, width);
    text += numbers_table(one.audit.numbers);
    if (!one.audit.questions.empty()) text += "\nAsk:\n";
    for (std::size_t i = 0; i < one.audit.questions.size(); ++i) {
      text += question_text(i + 1, one.audit.questions[i], width);
    }
  }
  if (!answer.caveats.empty()) text += "\n" + notes_text(answer.caveats, width);
  return text;
}

}  // namespace kneepoint
