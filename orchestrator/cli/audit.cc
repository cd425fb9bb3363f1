// SPDX-License-Identifier: Apache-2.0
//
// kneepoint audit: a claim of scaling against the rules.
#include "orchestrator/answers/study/audit.h"

#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/plan/readers.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {
namespace {

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

Result<int> run_audit(Session& session, const Arguments& arguments) {
  AuditRequest request;
  TRY_ASSIGN(request.floor, floor_flag(arguments));
  request.subject = arguments.text("CLAIM");
  if (request.subject.empty()) {
    TRY_ASSIGN(request.claim, claim_of_flags(arguments));
  } else {
    for (const char* flag : {"--speedup", "--k", "--mode", "--worker", "--baseline"}) {
      if (arguments.has(flag)) return wrong_flag(flag, "is for a claim without a file or study");
    }
  }
  TRY_ASSIGN(const AuditAnswer answer, audit(session, request));
  if (!answer.problems.empty()) return report_problems(session, answer.problems);
  show(session, answer, kIndented);
  return answer.contradicted() ? kExitNegative : kExitDone;
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
      {file_argument("CLAIM", "A claim's file, or a study: id, unique prefix or name", false)},
      {{"--speedup", "S", "So many times as fast"},
       count_flag("--k", "On so many workers"),
       count_flag("--baseline", "As on so many workers"),
       mode_flag("If the claim says it"),
       choice_flag("--worker", "UNIT", "What one worker is, if the claim says it",
                   {"node", "rank", "gpu"}),
       {"--floor", "SHARE", "Least efficiency worth paying for (default: the study's, or 0.7)"}},
      {"kneepoint audit --speedup 180 --k 256 --worker gpu",
       "kneepoint audit plans/claims/vendor-180x.yaml --floor 0.85", "kneepoint audit vendor"},
      run_audit};
}

}  // namespace kneepoint::cli
