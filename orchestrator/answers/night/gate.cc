// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/night/gate.h"

#include "orchestrator/answers/lookup.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {
namespace {

// The thresholds of the plan that the study ran.
Result<GateOptions> thresholds_of(const StudyRow& study) {
  const PlanRead read = read_plan(study.plan_text, study.plan_path, built_in_catalog());
  if (read.problems.empty()) return read.plan.gate;
  return Error{ErrorCode::corrupt,
               "the stored plan can't be read by this version:\n" + to_string(read.problems)};
}

Result<SeriesFacts> series_facts(StudyStore& store, const StudyRow& tonight) {
  SeriesFacts facts;
  const std::string series = series_of(tonight);
  facts.tonight = as_series_study(tonight);
  TRY_ASSIGN(facts.studies, store.series_studies(tonight.name, tonight.hash8));
  TRY_ASSIGN(facts.acknowledged, store.acknowledged(series));
  TRY_ASSIGN(facts.imported, store.imported_nights(series));
  TRY_ASSIGN(facts.other_series, store.other_series(tonight.name, tonight.hash8));
  TRY_ASSIGN(facts.baseline, store.baseline(series));
  return facts;
}

}  // namespace

std::string series_of(const StudyRow& study) {
  return study.name + "-" + study.hash8;
}

SeriesStudy as_series_study(const StudyRow& study) {
  return {study.row, study.id, study.n, study.state, study.backend, study.created_ns};
}

Result<StudyRow> find_night(StudyStore& store, const std::string& words) {
  TRY_ASSIGN(StudyRow found, find_study(store, words));
  TRY_ASSIGN(std::vector<Build> builds, store.builds(found.row));
  if (builds.empty()) return found;
  if (!words.empty()) return check_night(found.id, found.backend, true).error();
  TRY_ASSIGN(const std::vector<StudyRow> all, store.studies());
  for (const StudyRow& row : all) {
    TRY_ASSIGN(builds, store.builds(row.row));
    if (builds.empty()) return row;
  }
  return Error{ErrorCode::not_found, "there is no night yet: all studies compare two builds"};
}

Result<GateReport> gate_study(StudyStore& store, const StudyRow& tonight) {
  TRY(check_night(tonight.id, tonight.backend, false));
  GateReport report;
  report.study = tonight.id;
  report.series = series_of(tonight);
  TRY_ASSIGN(report.options, thresholds_of(tonight));
  TRY_ASSIGN(report.calibration, store.calibration(report.series));
  TRY_ASSIGN(const SeriesFacts facts, series_facts(store, tonight));
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(tonight.row));
  const ReadNight read = [&](const SeriesStudy& study) { return store.gate_night(study.row); };
  TRY_ASSIGN(Segment segment, find_segment(facts, evidence, read));
  report.history = make_history(segment, evidence);
  report.history.state = tonight.state;
  report.history.runs = tonight.runs;
  report.history.runs_to_go = tonight.runs - tonight.succeeded - tonight.failed;
  report.baseline = facts.baseline;
  report.imported = segment.imported;
  report.left_out = std::move(segment.notes);
  report.answer = gate(report.history, report.options);
  explain(report.history, report.answer);
  return report;
}

Result<void> remember_verdict(StudyStore& store, const GateReport& report, const std::string& line,
                              Nanoseconds now) {
  TRY(store.put_verdict(
      {report.study, to_string(report.answer.verdict), report.answer.why, line, now}));
  return {};
}

}  // namespace kneepoint
