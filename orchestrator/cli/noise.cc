// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/noise.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/run_plan.h"
#include "orchestrator/cli/terminal.h"
#include "orchestrator/plan/tables/study.h"

namespace kneepoint::cli {
namespace {

constexpr int kNoiseStudies = 6;
constexpr int kHistory = 20;
constexpr int kQuietNights = 1000, kSlowNights = 200;
constexpr std::uint64_t kSeed = 20'260'101;
constexpr Nanoseconds kFresh = 20 * kHour;  // studies this young are of this calibration
constexpr Nanoseconds kNightApart = 12 * kHour;

Arguments noise_run_arguments(const Arguments& arguments) {
  std::map<std::string, std::string> given = {{"PLAN", arguments.text("--noise")}, {"--new", ""}};
  if (arguments.has("SITE")) given["--site"] = arguments.text("SITE");
  return Arguments(std::move(given));
}

// Finished studies of the series, by n.
Result<std::vector<SeriesStudy>> finished(StudyStore& store, const std::string& name,
                                          const std::string& hash8, Nanoseconds since) {
  TRY_ASSIGN(std::vector<SeriesStudy> all, store.series_studies(name, hash8));
  std::erase_if(all, [&](const SeriesStudy& one) {
    return one.state != "finished" || one.created_ns < since;
  });
  return all;
}

// Runs what is missing. The exit code of the one that did not end well, else 0; `last` is the
// newest study.
Result<int> run_studies(Session& session, const Arguments& arguments, int wanted, StudyRow& last) {
  const Nanoseconds since = session.clock.wall() - kFresh;
  for (int tried = 0; tried <= wanted; ++tried) {
    std::ostringstream ignored;
    Session inner = inner_session(session, ignored, session.err);
    if (!last.id.empty()) {
      TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
      TRY_ASSIGN(const auto known, finished(*store, last.name, last.hash8, since));
      if (static_cast<int>(known.size()) >= wanted) return kExitDone;
      session.err << "noise: study " << known.size() + 1 << " of " << wanted << "\n";
    }
    std::string id;
    TRY_ASSIGN(const int code,
               run_plan(inner, noise_run_arguments(arguments), {since, kNoiseEnding}, id));
    if (code != kExitDone) return code;
    TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
    TRY_ASSIGN(last, find_study(*store, id));
  }
  return kExitDone;
}

struct MeasuredNoise {
  std::vector<StudyEvidence> studies;  // the first is the newest calibration study
  std::vector<Nanoseconds> when;
  int of_series = 0;
};

// Studies of the same program in the same environment: those of the calibration, and nights.
Result<MeasuredNoise> gather(StudyStore& store, const StudyRow& last, const std::string& name,
                             Nanoseconds since) {
  MeasuredNoise out;
  TRY_ASSIGN(const GateNight model, store.gate_night(last.row));
  TRY_ASSIGN(std::vector<SeriesStudy> own, finished(store, last.name, last.hash8, since));
  TRY_ASSIGN(const std::vector<SeriesStudy> nights, finished(store, name, last.hash8, 0));
  std::reverse(own.begin(), own.end());
  for (const std::vector<SeriesStudy>* list :
       std::initializer_list<const std::vector<SeriesStudy>*>{&own, &nights}) {
    for (const SeriesStudy& one : *list) {
      TRY_ASSIGN(const GateNight night, store.gate_night(one.row));
      if (night.program != model.program || night.environment != model.environment) continue;
      TRY_ASSIGN(StudyEvidence evidence, store.evidence(one.row));
      out.studies.push_back(std::move(evidence));
      out.when.push_back(one.created_ns);
      out.of_series += list == &nights ? 1 : 0;
    }
  }
  return out;
}

GateShape shape_of(const StudyEvidence& study, int repeats) {
  std::map<std::string, int> curves;
  for (const PointEvidence& point : study.points) {
    ++curves[point.point.build + " " + point.point.case_name + " " + to_string(point.point.mode)];
  }
  GateShape shape;
  for (const auto& [name, points] : curves) shape.curve_points.push_back(points);
  shape.repeats = repeats;
  shape.history = kHistory;
  return shape;
}

}  // namespace

Result<int> measure_noise(Session& session, const Arguments& arguments) {
  const std::string plan_path = arguments.text("--noise");
  const int wanted = arguments.has("--studies") ? arguments.count("--studies") : kNoiseStudies;
  TRY_ASSIGN(const PlanOnSite both, read_plan_on_site(session, plan_path, arguments.text("SITE")));
  if (!both.problems.empty()) return report_problems(session, both.problems);
  if (!is_study_name(both.plan.study + kNoiseEnding)) {
    return Error{ErrorCode::invalid, "the study's name '" + both.plan.study +
                                         "' is too long for one that ends in " + kNoiseEnding};
  }
  const Nanoseconds since = session.clock.wall() - kFresh;
  StudyRow last;
  TRY_ASSIGN(const int code, run_studies(session, arguments, std::max(wanted, 2), last));
  if (code != kExitDone) {
    session.err << "kneepoint: doctor: the calibration is not complete; the same command goes on "
                   "with it\n";
    return code;
  }
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(const MeasuredNoise measured, gather(*store, last, both.plan.study, since));
  const auto noise = estimate_noise(noise_runs(measured.studies));
  if (!noise) {
    return Error{ErrorCode::invalid,
                 "no point was measured twice in a study: noise needs `repeat: 2` or more"};
  }
  NoiseReport report;
  report.series = both.plan.study + "-" + last.hash8;
  report.noise = *noise;
  for (const StudyEvidence& study : measured.studies) report.studies.push_back(study.id);
  report.nights_of_series = measured.of_series;
  const auto [first, newest] = std::minmax_element(measured.when.begin(), measured.when.end());
  const auto apart = static_cast<Nanoseconds>(measured.when.size() - 1) * kNightApart;
  if (*newest - *first < apart) {
    report.noise.untold.push_back("The studies were run within " +
                                  to_duration_text(*newest - *first) +
                                  ": nights may differ by more than they do.");
  }
  const GateOptions& options = both.plan.gate;
  report.max_regression = options.max_regression;
  report.curve_effect = options.curve_effect;
  report.shape = shape_of(measured.studies.front(), both.plan.repeat.min);
  report.quiet = simulate_gate(*noise, report.shape, options, 0, kQuietNights, kSeed);
  report.detectable = simulated_detectable(*noise, report.shape, options, kSlowNights, kSeed);
  report.advice = advise_effort(*noise, report.shape, options);
  TRY(store->put_calibration(calibration_of(report, session.clock.wall())));
  session.out << (session.json ? noise_json(report) + "\n"
                               : noise_text(report, predict_width(session)));
  return kExitDone;
}

}  // namespace kneepoint::cli
