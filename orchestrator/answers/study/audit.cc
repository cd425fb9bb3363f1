// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/audit.h"

#include <algorithm>
#include <filesystem>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {
namespace {

bool is_claim_file(const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.find('/') != std::string::npos ||
         std::filesystem::is_regular_file(word, ignored);
}

std::string title_of(const Claim& claim) {
  if (!claim.text.empty()) return claim.text;
  const ClaimPoint& last = claim.points.back();
  return last.speedup ? number_text(*last.speedup, 6) + "x on " + std::to_string(last.k)
                      : "K=" + std::to_string(last.k);
}

std::string title_of(const StudyEvidence& evidence, const Curve& curve) {
  return evidence.id + ": " + (curve.build == "default" ? "" : curve.build + " ") +
         curve.case_name + ", " + to_string(curve.mode);
}

// What a study says of itself. A baseline is measured where we measured it.
Claim claim_of_curve(const StudyEvidence& evidence, const Curve& curve) {
  Claim claim;
  const bool imported = evidence.backend == to_string(BackendKind::imported);
  const bool relative = is_relative(evidence);
  claim.mode = curve.mode;
  claim.worker = to_string(evidence.worker);
  claim.measured_here = !imported;
  int fewest = 0;
  for (const PointSummary& point : curve.points) {
    if (point.valid == 0) continue;
    ClaimPoint& at = claim.points.emplace_back();
    at.k = point.point.k;
    at.efficiency = point.efficiency;
    if (!relative) at.seconds = point.seconds;
    fewest = fewest == 0 ? point.valid : std::min(fewest, point.valid);
  }
  claim.baseline.k = curve.k0;
  if (!imported) {
    claim.baseline.measured = true;
    claim.baseline.same_program = true;
    claim.timed = "the iterations of a run after its warm-up, or the time metric of the plan";
  }
  claim.repeats = fewest;
  claim.held_fixed = imported ? "" : curve.held_fixed;
  return claim;
}

Result<void> add_study(const Context& context, const AuditRequest& request, AuditAnswer& answer) {
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, request.subject));
  TRY_ASSIGN(const StudyEvidence evidence, store->evidence(row.row));
  answer.subject = evidence.id;
  answer.caveats = evidence.caveats;
  answer.floor = request.floor.value_or(evidence.knee_floor);
  const StudySummary summary = summarise(evidence);
  for (const Curve& curve : summary.curves) {
    if (curve.baseline() == nullptr) continue;
    answer.claims.push_back({title_of(evidence, curve), claim_of_curve(evidence, curve), {}});
  }
  if (answer.claims.empty()) {
    return Error{ErrorCode::not_found, evidence.id + " has no valid run"};
  }
  return {};
}

}  // namespace

bool AuditAnswer::contradicted() const {
  return std::ranges::any_of(claims, [](const AuditedClaim& one) {
    return one.audit.count(RuleVerdict::contradicted) > 0;
  });
}

Result<AuditAnswer> audit(const Context& context, const AuditRequest& request) {
  AuditAnswer answer;
  if (request.floor) answer.floor = *request.floor;
  if (request.subject.empty()) {
    answer.claims.push_back({title_of(request.claim), request.claim, {}});
  } else if (is_claim_file(request.subject)) {
    TRY_ASSIGN(const std::string text, read_file("claim", request.subject, 1));
    ClaimRead read = read_claim(text, request.subject);
    answer.problems = std::move(read.problems);
    if (!answer.problems.empty()) return answer;
    answer.subject = request.subject;
    const std::string title = title_of(read.claim);
    answer.claims.push_back({title, std::move(read.claim), {}});
  } else {
    TRY(add_study(context, request, answer));
  }
  for (AuditedClaim& one : answer.claims) one.audit = audit_claim(one.claim, answer.floor);
  return answer;
}

}  // namespace kneepoint
