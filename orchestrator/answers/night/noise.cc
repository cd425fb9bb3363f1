// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/night/noise.h"

#include <algorithm>
#include <map>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
namespace {

constexpr int kNoiseHistory = 20;
constexpr int kQuietNights = 1000, kSlowNights = 200;
constexpr std::uint64_t kNoiseSeed = 20'260'101;
constexpr Nanoseconds kFresh = 20 * kHour;  // studies this young are of this calibration
constexpr Nanoseconds kNightApart = 12 * kHour;

// Finished studies of the series, by n.
Result<std::vector<SeriesStudy>> finished_studies(StudyStore& store, const std::string& name,
                                                  const std::string& hash8, Nanoseconds since) {
  TRY_ASSIGN(std::vector<SeriesStudy> all, store.series_studies(name, hash8));
  std::erase_if(all, [&](const SeriesStudy& one) {
    return one.state != "finished" || one.created_ns < since;
  });
  return all;
}

// Has what is missing run. The newest study; none: one did not end well.
Result<std::optional<StudyRow>> run_studies(const Context& context, int wanted, Nanoseconds since,
                                            const RunNoiseStudy& run) {
  std::optional<StudyRow> last;
  for (int tried = 0, number = 0; tried <= wanted; ++tried) {
    if (last) {
      TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
      TRY_ASSIGN(const auto known, finished_studies(*store, last->name, last->hash8, since));
      if (static_cast<int>(known.size()) >= wanted) break;
      number = static_cast<int>(known.size()) + 1;
    }
    TRY_ASSIGN(const std::string id, run(since, number));
    if (id.empty()) return std::optional<StudyRow>();
    TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
    TRY_ASSIGN(last, find_study(*store, id));
  }
  return last;
}

struct MeasuredNoise {
  std::vector<StudyEvidence> studies;  // the first is the newest calibration study
  std::vector<Nanoseconds> when;
  int of_series = 0;
};

// Studies of the same program in the same environment: those of the calibration, and nights.
Result<MeasuredNoise> gather_noise(StudyStore& store, const StudyRow& last, const std::string& name,
                                   Nanoseconds since) {
  MeasuredNoise out;
  TRY_ASSIGN(const GateNight model, store.gate_night(last.row));
  TRY_ASSIGN(std::vector<SeriesStudy> own, finished_studies(store, last.name, last.hash8, since));
  TRY_ASSIGN(const std::vector<SeriesStudy> nights, finished_studies(store, name, last.hash8, 0));
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

GateShape gate_shape_of(const StudyEvidence& study, int repeats) {
  std::map<std::string, int> curves;
  for (const PointEvidence& point : study.points) {
    ++curves[point.point.build + " " + point.point.case_name + " " + to_string(point.point.mode)];
  }
  GateShape shape;
  for (const auto& [name, points] : curves) shape.curve_points.push_back(points);
  shape.repeats = repeats;
  shape.history = kNoiseHistory;
  return shape;
}

}  // namespace

Calibration calibration_of(const NoiseReport& report, Nanoseconds made) {
  Calibration out;
  out.series = report.series;
  out.made_ns = made;
  out.repeat_sd = report.noise.repeat_sd;
  out.night_sd = report.noise.night_sd();
  out.node_sd = report.noise.node_sd;
  out.false_alarm_rate = report.quiet.regressed;
  out.smallest_detectable = report.detectable.value_or(1);
  out.repeats = report.shape.repeats;
  out.nights = report.noise.nights;
  out.recommended_repeats = report.advice.repeats;
  out.recommended_history = report.advice.history;
  return out;
}

Result<NoiseAnswer> measure_noise(const Context& context, const NoiseRequest& request,
                                  const RunNoiseStudy& run) {
  TRY_ASSIGN(PlanOnSite both, read_plan_on_site(context, request.plan, request.site));
  if (!both.problems.empty()) return NoiseAnswer{{}, std::move(both.problems)};
  if (!is_study_name(both.plan.study + kNoiseEnding)) {
    return Error{ErrorCode::invalid, "the study's name '" + both.plan.study +
                                         "' is too long for one that ends in " + kNoiseEnding};
  }
  const Nanoseconds since = context.clock.wall() - kFresh;
  TRY_ASSIGN(const auto last, run_studies(context, std::max(request.studies, 2), since, run));
  if (!last) return NoiseAnswer{};
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_write));
  TRY_ASSIGN(const MeasuredNoise measured, gather_noise(*store, *last, both.plan.study, since));
  const auto noise = estimate_noise(noise_runs(measured.studies));
  if (!noise) {
    return Error{ErrorCode::invalid,
                 "no point was measured twice in a study: noise needs `repeat: 2` or more"};
  }
  NoiseReport report;
  report.series = both.plan.study + "-" + last->hash8;
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
  report.shape = gate_shape_of(measured.studies.front(), both.plan.repeat.min);
  report.quiet = simulate_gate(*noise, report.shape, options, 0, kQuietNights, kNoiseSeed);
  report.detectable = simulated_detectable(*noise, report.shape, options, kSlowNights, kNoiseSeed);
  report.advice = advise_effort(*noise, report.shape, options);
  TRY(store->put_calibration(calibration_of(report, context.clock.wall())));
  return NoiseAnswer{std::move(report), {}};
}

}  // namespace kneepoint
