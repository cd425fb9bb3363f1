// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/audit_text.h"

#include "orchestrator/cli/curve_words.h"
#include "orchestrator/cli/table.h"
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

void put_number(JsonWriter& json, const char* key, const std::optional<double>& value) {
  json.key(key);
  value ? json.value(*value) : json.null();
}

void put_claim(JsonWriter& json, const AuditedClaim& one) {
  const ClaimNumbers& n = one.audit.numbers;
  json.begin_object().key("title").value(one.title).key("claim").value(one.claim.text);
  json.key("source").value(one.claim.source).key("mode");
  one.claim.mode ? json.value(to_string(*one.claim.mode)) : json.null();
  json.key("worker").value(one.claim.worker).key("summary").value(one.audit.summary);
  json.key("k0").value(n.k0).key("k0_stated").value(n.k0_stated);
  json.key("points").begin_array();
  for (const ClaimNumber& at : n.points) {
    json.begin_object().key("k").value(at.k).key("speedup").value(at.speedup);
    json.key("efficiency").value(at.efficiency);
    put_number(json, "serial_share", at.serial);
    put_number(json, "seconds", at.seconds);
    json.end_object();
  }
  json.end_array();
  put_number(json, "knee", n.knee);
  json.key("knee_beyond").value(n.knee_beyond);
  put_number(json, "implied_knee", n.implied_knee);
  put_number(json, "implied_ceiling", n.implied_ceiling);
  json.key("findings").begin_array();
  for (const RuleFinding& finding : one.audit.findings) {
    json.begin_object().key("rule").value(finding.rule);
    json.key("verdict").value(to_string(finding.verdict));
    json.key("sentence").value(finding.sentence).key("question").value(finding.question);
    json.end_object();
  }
  json.end_array().key("questions").begin_array();
  for (const std::string& question : one.audit.questions) json.value(question);
  json.end_array().end_object();
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
  json.begin_object().key("schema").value("kneepoint.audit/1");
  json.key("subject").value(answer.subject).key("floor").value(answer.floor);
  put_caveats(json, answer.caveats);
  json.key("claims").begin_array();
  for (const AuditedClaim& one : answer.claims) put_claim(json, one);
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli
