// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/audit_text.h"

#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/report/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
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

std::string points_table(const ClaimNumbers& numbers) {
  if (numbers.points.size() < 2) return "";
  std::vector<std::vector<std::string>> rows = {{std::to_string(numbers.k0), "1", "1.000"}};
  bool serial = false;
  for (const ClaimNumber& at : numbers.points) {
    auto& row = rows.emplace_back(std::vector<std::string>{
        std::to_string(at.k), number_text(at.speedup, 4), fixed_text(at.efficiency, 3)});
    if (!at.serial) continue;
    serial = true;
    row.push_back(percent_text(*at.serial));
  }
  std::vector<Column> columns = {{"K", Align::right}, {"S", Align::right}, {"E", Align::right}};
  if (serial) columns.push_back({"SERIAL", Align::right});
  return "\n" + to_table(columns, rows, 2);
}

std::string question_text(std::size_t number, const std::string& question, int width) {
  std::string text = wrap(plain(question), width, 5);
  const std::string head = (number < 10 ? "  " : " ") + std::to_string(number) + ".";
  return text.replace(0, head.size(), head);
}

void put_claim(JsonWriter& json, const AuditedClaim& one) {
  const ClaimNumbers& n = one.audit.numbers;
  json.begin_object().put("title", one.title).put("claim", one.claim.text);
  json.put("source", one.claim.source).put("mode", one.claim.mode);
  json.put("worker", one.claim.worker).put("summary", one.audit.summary).put("k0", n.k0);
  json.put("k0_stated", n.k0_stated).put("points", n.points).put("knee", n.knee);
  json.put("knee_beyond", n.knee_beyond).put("implied_knee", n.implied_knee);
  json.put("implied_ceiling", n.implied_ceiling).put("findings", one.audit.findings);
  json.put("questions", one.audit.questions).end_object();
}

}  // namespace

std::string audit_text(const AuditAnswer& answer, int width) {
  std::string text;
  for (const AuditedClaim& one : answer.claims) {
    if (!text.empty()) text += "\n";
    text += "Claim: " + plain(one.title) +
            (one.claim.source.empty() ? "" : " (" + plain(one.claim.source) + ")") + "\n\n";
    text +=
        wrap(plain(one.audit.summary), width, 0) + wrap(counts_words(one.audit), width, 0) + "\n";
    for (const RuleFinding& finding : one.audit.findings) text += finding_text(finding, width);
    text += points_table(one.audit.numbers);
    if (!one.audit.questions.empty()) text += "\nAsk:\n";
    for (std::size_t i = 0; i < one.audit.questions.size(); ++i) {
      text += question_text(i + 1, one.audit.questions[i], width);
    }
  }
  for (const Caveat& caveat : answer.caveats) {
    text += (&caveat == &answer.caveats.front() ? "\n" : "") +
            ("note: " + wrap(plain(caveat.message), width, 6).substr(6));
  }
  return text;
}

std::string audit_json(const AuditAnswer& answer) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.audit/1").put("subject", answer.subject);
  json.put("floor", answer.floor).put("caveats", answer.caveats).key("claims").begin_array();
  for (const AuditedClaim& one : answer.claims) put_claim(json, one);
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli
