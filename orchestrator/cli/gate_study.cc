// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/gate_study.h"

#include "orchestrator/cli/command.h"
#include "orchestrator/cli/gate_nights.h"
#include "orchestrator/cli/gate_text.h"
#include "orchestrator/cli/loading.h"
#include "orchestrator/cli/table.h"

namespace kneepoint::cli {
namespace {

// A step that was dated and is still there is no calmer for having happened some nights ago, when
// the nights after it have become part of the history.
void hold_on_to_steps(GateReport& report) {
  GateAnswer& answer = report.answer;
  if (answer.verdict != Verdict::pass && answer.verdict != Verdict::inconclusive) return;
  for (GateFinding& curve : answer.curves) {
    const auto change = last_change(report.history, curve);
    if (curve.tests.empty() || !change) continue;
    if (change->ratio < 1 + report.options.min_effect) continue;
    curve.slower = true;
    answer.verdict = Verdict::regressed;
    answer.why = "slower since " + report.history.nights[change->night] + ", and still so";
  }
}

void judge(const StudyRow& tonight, const GateRequest& request, GateReport& report) {
  report.answer = gate(report.history.series, report.options, request.turns);
  hold_on_to_steps(report);
  if (report.answer.verdict == Verdict::failed) return;
  if (tonight.state != "finished") {
    report.answer.verdict = Verdict::inconclusive;
    report.answer.why = "the study is " + tonight.state + ": " +
                        std::to_string(tonight.runs - tonight.succeeded - tonight.failed) + " of " +
                        counted(tonight.runs, "run") + " to go";
  } else if (!report.history.changed.empty()) {
    report.answer.verdict = Verdict::env_change;
    report.answer.why = "the environment differs from the night before, so a new segment begins: " +
                        report.history.changed;
  }
}

}  // namespace

int gate_exit_code(Verdict verdict, bool strict) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::improved:
      return kExitDone;
    case Verdict::suspect:
    case Verdict::inconclusive:
    case Verdict::env_change:
    case Verdict::no_baseline:
      return strict ? kExitNegative : kExitDone;
    case Verdict::regressed:
      return kExitNegative;
    case Verdict::failed:
      return kExitRunsFailed;
  }
  return kExitBug;
}

Result<GateReport> gate_study(Session& session, StudyStore& store, const StudyRow& tonight,
                              const GateRequest& request) {
  if (tonight.backend == "import") {
    return Error{ErrorCode::invalid, tonight.id + " was imported: it is no night of a series"};
  }
  TRY_ASSIGN(const PlanOnSite both,
             read_stored_plan(tonight.plan_text, tonight.plan_path, tonight.site_text));
  GateReport report;
  report.study = tonight.id;
  report.series = series_of(tonight);
  report.options = both.plan.gate;
  TRY_ASSIGN(report.baseline, store.baseline(report.series));
  TRY_ASSIGN(report.calibration, store.calibration(report.series));
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(tonight.row));
  TRY_ASSIGN(NightsRead read, read_nights(store, tonight, evidence, report.baseline));
  report.history = make_history(read.nights, evidence, read.baseline ? &*read.baseline : nullptr);
  report.history.changed = read.changed;
  report.history.other_environment = read.other_environment;
  report.imported = read.imported;
  report.left_out = std::move(read.notes);
  judge(tonight, request, report);
  if (request.remember) {
    TRY(store.put_verdict({report.study, to_string(report.answer.verdict), report.answer.why,
                           verdict_line(report), session.clock.wall()}));
  }
  return report;
}

}  // namespace kneepoint::cli
