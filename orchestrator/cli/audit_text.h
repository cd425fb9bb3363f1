// SPDX-License-Identifier: Apache-2.0
//
// The answer of `audit` as people and programs read it: what the claim comes to, the verdict of
// every rule, the questions to ask.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/claims/audit.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint::cli {

struct AuditedClaim {
  std::string title;  // "180x on 256 GPUs", "vendor, strong"
  Claim claim;
  ClaimAudit audit;
};

struct AuditAnswer {
  std::string subject;  // a file, a study, or ""
  double floor = 0.7;
  std::vector<Caveat> caveats;
  std::vector<AuditedClaim> claims;
};

std::string audit_text(const AuditAnswer& answer, int width);
std::string audit_json(const AuditAnswer& answer);

}  // namespace kneepoint::cli
