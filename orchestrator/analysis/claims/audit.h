// SPDX-License-Identifier: Apache-2.0
//
// A claim of scaling against the rules that make such a claim worth something. Every rule has one
// verdict in words and, where something is missing or wrong, the question to ask.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/claims/numbers.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// suspicious: possible, but it wants an explanation. contradicted: the claim says two things of
// which one is wrong.
enum class RuleVerdict { ok, missing, suspicious, contradicted };
const char* to_string(RuleVerdict verdict);

struct RuleFinding {
  std::string rule;  // "regime", "baseline", ...; stable, docs/reference/audit.md lists all
  RuleVerdict verdict = RuleVerdict::ok;
  std::string sentence;
  std::string question;  // "": nothing to ask
  KP_DESCRIBED(RuleFinding, rule, verdict, sentence, question);
};

struct ClaimAudit {
  ClaimNumbers numbers;
  std::string summary;                 // plain words: what the claim comes to
  std::vector<RuleFinding> findings;   // every rule that applies, in a fixed order
  std::vector<std::string> questions;  // those of the findings, in order

  int count(RuleVerdict verdict) const;
};

// `floor` is the least efficiency worth paying for.
ClaimAudit audit_claim(const Claim& claim, double floor);

}  // namespace kneepoint
