// SPDX-License-Identifier: Apache-2.0
//
// kneepoint audit: a claim of scaling against the rules. The claim is a small file, two flags, or
// a study, which is judged by what it holds.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/cli/audit_text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/curve_words.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/terminal.h"
#include "orchestrator/plan/tables/claim_reader.h"

namespace kneepoint::cli {
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

Result<Claim> claim_of_flags(const Arguments& arguments) {
  if (!arguments.has("--speedup") || !arguments.has("--k")) {
    return Error{ErrorCode::invalid, "name a claim's file or a study, or give --speedup and --k"};
  }
  Claim claim;
  ClaimPoint& point = claim.points.emplace_back();
  point.k = arguments.count("--k");
  if (point.k > kMostClaimedK) return wrong_flag("--k", "expected at most 100000000");
  TRY_ASSIGN(const double speedup, positive_number("--speedup", arguments.text("--speedup")));
  if (speedup > kMostClaimedSpeedup) return wrong_flag("--speedup", "expected at most 1e12");
  point.speedup = speedup;
  claim.mode = parse_mode(arguments.text("--mode"));
  claim.worker = arguments.text("--worker");
  if (arguments.has("--baseline")) claim.baseline.k = arguments.count("--baseline");
  if (claim.baseline.k && *claim.baseline.k >= point.k) {
    return wrong_flag("--baseline", "expected fewer workers than --k");
  }
  return claim;
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

Result<void> add_study(Session& session, const std::string& words, AuditAnswer& answer,
                       std::optional<double> floor) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, words));
  TRY_ASSIGN(const StudyEvidence evidence, store->evidence(row.row));
  answer.subject = evidence.id;
  answer.caveats = evidence.caveats;
  answer.floor = floor.value_or(evidence.knee_floor);
  const StudySummary summary = summarise(evidence);
  for (const Curve& curve : summary.curves) {
    if (curve.baseline() == nullptr) continue;
    AuditedClaim& one = answer.claims.emplace_back();
    one.claim = claim_of_curve(evidence, curve);
    one.title = evidence.id + ": " + curve_name(curve.build, curve.case_name, curve.mode);
  }
  if (answer.claims.empty()) {
    return Error{ErrorCode::not_found, evidence.id + " has no valid run"};
  }
  return {};
}

Result<int> run_audit(Session& session, const Arguments& arguments) {
  AuditAnswer answer;
  std::optional<double> floor;
  if (arguments.has("--floor")) {
    TRY_ASSIGN(const double share, positive_number("--floor", arguments.text("--floor"), true));
    if (share >= 1) return wrong_flag("--floor", "expected a share below 1");
    floor = answer.floor = share;
  }
  const std::string word = arguments.text("CLAIM");
  if (!word.empty()) {
    for (const char* flag : {"--speedup", "--k", "--mode", "--worker", "--baseline"}) {
      if (arguments.has(flag)) return wrong_flag(flag, "is for a claim without a file or study");
    }
  }
  if (word.empty()) {
    TRY_ASSIGN(Claim claim, claim_of_flags(arguments));
    const std::string title = title_of(claim);
    answer.claims.push_back({title, std::move(claim), {}});
  } else if (is_claim_file(word)) {
    TRY_ASSIGN(const std::string text, read_file("claim", word, 1));
    ClaimRead read = read_claim(text, word);
    if (!read.problems.empty()) return report_problems(session, read.problems);
    answer.subject = word;
    const std::string title = title_of(read.claim);
    answer.claims.push_back({title, std::move(read.claim), {}});
  } else {
    TRY(add_study(session, word, answer, floor));
  }
  bool contradicted = false;
  for (AuditedClaim& one : answer.claims) {
    one.audit = audit_claim(one.claim, answer.floor);
    contradicted = contradicted || one.audit.count(RuleVerdict::contradicted) > 0;
  }
  session.out << (session.json ? audit_json(answer) + "\n"
                               : audit_text(answer, predict_width(session)));
  return contradicted ? kExitNegative : kExitDone;
}

}  // namespace

CommandSpec audit_command() {
  return {
      "audit",
      "Judge a claim of scaling, and say what to ask",
      "A vendor's claim against the rules that make one worth something: is the regime stated, "
      "is the baseline honest, what efficiency, knee and serial share does it come to, are there "
      "repeats, what was held fixed, do its numbers fit together. The claim is a YAML file "
      "(docs/reference/audit.md), --speedup with --k, or a study, imported or measured. Exit code "
      "1 if the claim contradicts itself.",
      {{"CLAIM",
        "A claim's file, or a study: id, unique prefix or name",
        false,
        {},
        Completes::files}},
      {{"--speedup", "S", "So many times as fast"},
       {"--k", "N", "On so many workers", {}, true},
       {"--baseline", "N", "As on so many workers", {}, true},
       {"--mode", "MODE", "If the claim says it", {"strong", "weak"}},
       {"--worker", "UNIT", "What one worker is, if the claim says it", {"node", "rank", "gpu"}},
       {"--floor", "SHARE", "Least efficiency worth paying for (default: the study's, or 0.7)"}},
      {"kneepoint audit --speedup 180 --k 256 --worker gpu",
       "kneepoint audit plans/claims/vendor-180x.yaml --floor 0.85", "kneepoint audit vendor"},
      run_audit};
}

}  // namespace kneepoint::cli
