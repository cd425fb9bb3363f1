// SPDX-License-Identifier: Apache-2.0
//
// A claim of scaling against the rules: a claim's file, a claim as it was said, or a study, which
// is judged by what it holds. analysis/claims judges.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/claims/audit.h"
#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct AuditRequest {
  std::string subject;          // a claim's file or a study; "": `claim`
  Claim claim;                  // as it was said
  std::optional<double> floor;  // none: the study's, or 0.7
};

struct AuditedClaim {
  std::string title;  // "180x on 256 GPUs", "vendor, strong"
  Claim claim;
  ClaimAudit audit;
  static constexpr auto fields() {
    using T = AuditedClaim;
    return described(field("title", &T::title),
                     field("claim", [](const T& c) { return c.claim.text; }),
                     field("source", [](const T& c) { return c.claim.source; }),
                     field("mode", [](const T& c) { return c.claim.mode; }),
                     field("worker", [](const T& c) { return c.claim.worker; }),
                     field("summary", [](const T& c) { return c.audit.summary; }),
                     fields_of([](const T& c) -> const ClaimNumbers& { return c.audit.numbers; }),
                     field("findings", [](const T& c) { return c.audit.findings; }),
                     field("questions", [](const T& c) { return c.audit.questions; }));
  }
};

struct AuditAnswer {
  std::string subject;  // a file, a study, or ""
  double floor = 0.7;
  std::vector<Caveat> caveats;
  std::vector<AuditedClaim> claims;
  std::vector<Problem> problems;  // of a claim's file; nothing was judged then

  bool contradicted() const;  // some claim contradicts itself
  static constexpr auto fields() {
    using T = AuditAnswer;
    return described(field("schema", [](const T&) { return "kneepoint.audit/1"; }),
                     KP_NAMED(subject, floor, caveats, claims));
  }
};

Result<AuditAnswer> audit(const Context& context, const AuditRequest& request);

}  // namespace kneepoint
