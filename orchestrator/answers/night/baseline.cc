// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/night/baseline.h"

#include <filesystem>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/gate.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/plan/plan/matrix.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigest = "@sha256:";
constexpr std::size_t kSeriesHash = 8;

bool is_workload_name(std::string_view text) {
  return !text.empty() && text.find_first_of("/.:@") == std::string_view::npos;
}

std::string user_of(const Context& context) {
  for (const char* name : {"USER", "LOGNAME"}) {
    if (const auto value = context.environment(name); value && !value->empty()) return *value;
  }
  return "";
}

// "one-1a2b3c4d" as name and hash.
std::pair<std::string, std::string> parts_of_series(const std::string& series) {
  const std::size_t cut = series.rfind('-');
  return {series.substr(0, cut), series.substr(cut + 1)};
}

std::string only_case_of(const Plan& plan) {
  const bool one = plan.workloads.size() == 1 && plan.workloads.front().parameters.empty();
  return one ? plan.workloads.front().name : "";
}

struct HistoryTarget {
  std::string series;
  std::string only_case;  // of rows that don't say; "": the series has several
};

// A plan's series may have no study yet.
Result<HistoryTarget> history_target(const Context& context, StudyStore& store,
                                     const HistoryRequest& request) {
  std::error_code problem;
  if (fs::is_regular_file(request.where, problem)) {
    TRY_ASSIGN(const PlanOnSite both, read_plan_on_site(context, request.where, request.site));
    if (!both.problems.empty()) {
      return Error{ErrorCode::invalid, to_string(both.problems.front())};
    }
    return HistoryTarget{both.plan.study + "-" + series_hash(both.plan, *both.site),
                         only_case_of(both.plan)};
  }
  HistoryTarget target;
  TRY_ASSIGN(target.series, find_series(store, request.where));
  const auto [name, hash8] = parts_of_series(target.series);
  TRY_ASSIGN(const auto newest, store.newest_of_series(name, hash8));
  if (!newest) return target;
  TRY_ASSIGN(const PlanOnSite both,
             read_stored_plan(newest->plan_text, newest->plan_path, newest->site_text));
  target.only_case = only_case_of(both.plan);
  return target;
}

std::vector<Problem> problems_of(const HistoryTable& table, const SortedNights& sorted,
                                 const std::vector<ImportedNight>& there, const std::string& file) {
  if (!there.empty() && read_date(there.front().night).has_value() !=
                            read_date(table.nights.front().night).has_value()) {
    return {{file, table.lines.front(), 1, "night",
             "the series has nights such as '" + there.front().night +
                 "'; dates and numbers don't mix"}};
  }
  std::vector<Problem> problems;
  for (const std::size_t i : sorted.differing) {
    problems.push_back({file, table.lines[i], 1, "night",
                        "the series has a night " + table.nights[i].night +
                            " that says something else; it is not replaced"});
  }
  return problems;
}

}  // namespace

Result<PinnedBuild> pin_build(const std::string& words, bool is_image,
                              const std::string& working_directory) {
  PinnedBuild build;
  std::string value = words;
  if (const std::size_t cut = words.find('=');
      cut != std::string::npos && is_workload_name(words.substr(0, cut))) {
    build.workload = words.substr(0, cut);
    value = words.substr(cut + 1);
  }
  if (value.empty()) {
    return Error{ErrorCode::invalid,
                 "--build: '" + words + "' names nothing; expected PATH, IMAGE or WORKLOAD=PATH"};
  }
  if (is_image) {
    build.kind = BuildKind::image;
    build.value = value;
    if (const std::size_t at = value.find(kDigest); at != std::string::npos) {
      build.hash = value.substr(at + kDigest.size());
    }
    return build;
  }
  build.value = absolute_path(value, working_directory);
  auto hash = hash_of_file(build.value);
  if (!hash) return hash.error().in("--build");
  build.hash = *hash;
  return build;
}

Result<void> check_pinned(const PinnedBuild& build) {
  if (build.kind == BuildKind::image) return {};
  TRY_ASSIGN(const std::string now, hash_of_file(build.value));
  if (now == build.hash) return {};
  return Error{ErrorCode::conflict,
               build.value + " is not the program that was pinned: its SHA-256 was " +
                   build.hash.substr(0, 12) + " and is " + now.substr(0, 12) + " now"};
}

Result<std::string> find_series(StudyStore& store, const std::string& words) {
  const auto [name, hash8] = parts_of_series(words);
  if (name != words && hash8.size() == kSeriesHash) {
    TRY_ASSIGN(const auto studies, store.series_studies(name, hash8));
    if (!studies.empty()) return words;
    TRY_ASSIGN(const auto imported, store.imported_nights(words));
    TRY_ASSIGN(const auto baseline, store.baseline(words));
    if (!imported.empty() || baseline) return words;
  }
  TRY_ASSIGN(const StudyRow study, find_study(store, words));
  return series_of(study);
}

Result<SeriesView> view_series(StudyStore& store, const std::string& series) {
  SeriesView view;
  view.series = series;
  const auto [name, hash8] = parts_of_series(series);
  TRY_ASSIGN(const auto studies, store.series_studies(name, hash8));
  view.studies = studies.size();
  TRY_ASSIGN(view.baseline, store.baseline(series));
  if (view.baseline) {
    for (const PinnedBuild& build : view.baseline->builds) {
      const auto same = check_pinned(build);
      if (!same) view.problems.push_back(same.error().message);
    }
  }
  TRY_ASSIGN(view.acknowledged, store.acknowledged(series));
  TRY_ASSIGN(view.imported, store.imported_nights(series));
  TRY_ASSIGN(view.calibration, store.calibration(series));
  TRY_ASSIGN(view.verdicts, store.verdicts(series));
  return view;
}

Result<SetBaseline> set_baseline(const Context& context, StudyStore& store,
                                 const BaselineRequest& request) {
  TRY_ASSIGN(const StudyRow study, find_study(store, request.study));
  TRY(check_baseline(as_series_study(study), study.succeeded));
  Baseline baseline;
  baseline.series = series_of(study);
  baseline.study = study.id;
  baseline.note = request.note;
  baseline.who = user_of(context);
  baseline.made_ns = context.clock.wall();
  for (const std::string& words : request.builds) {
    TRY_ASSIGN(PinnedBuild build,
               pin_build(words, study.backend == "kubernetes", fs::current_path().string()));
    for (const PinnedBuild& other : baseline.builds) {
      if (other.workload != build.workload) continue;
      return Error{ErrorCode::invalid, "--build: two builds for the same workload"};
    }
    baseline.builds.push_back(std::move(build));
  }
  SetBaseline answer{baseline.series, {}};
  TRY_ASSIGN(answer.before, store.baseline(baseline.series));
  TRY(store.put_baseline(baseline));
  return answer;
}

Result<void> drop_baseline(StudyStore& store, const std::string& series) {
  TRY_ASSIGN(const bool was, store.drop_baseline(series));
  if (was) return {};
  return Error{ErrorCode::not_found, series + " has no baseline"};
}

Result<Acknowledged> acknowledge_change(const Context& context, StudyStore& store,
                                        const std::string& study, const std::string& note) {
  TRY_ASSIGN(const StudyRow row, find_study(store, study));
  Acknowledged answer{series_of(row), row.id, true};
  TRY_ASSIGN(answer.fresh, store.put_acknowledged({answer.series, row.id, note, user_of(context),
                                                   context.clock.wall()}));
  return answer;
}

Result<ImportedHistory> import_history(const Context& context, StudyStore& store,
                                       const HistoryRequest& request) {
  TRY_ASSIGN(const HistoryTarget target, history_target(context, store, request));
  TRY_ASSIGN(const std::string bytes,
             read_file("file", request.path, static_cast<int>(kMostTableBytes >> 20)));
  TableOptions options = request.options;
  if (options.case_name.empty()) options.case_name = target.only_case;
  ReadHistory read = read_history(bytes, request.path, options);
  ImportedHistory answer;
  answer.series = target.series;
  answer.problems = std::move(read.problems);
  if (!answer.problems.empty()) return answer;
  TRY_ASSIGN(auto transaction, store.begin());
  TRY_ASSIGN(const auto there, store.imported_nights(target.series));
  const SortedNights sorted = sort_nights(read.table.nights, there);
  answer.problems = problems_of(read.table, sorted, there, request.path);
  if (!answer.problems.empty()) return answer;
  if (!sorted.fresh.empty()) {
    TRY(store.put_imported_nights({target.series, fs::path(request.path).filename().string(),
                                   sha256_hex(bytes), sorted.fresh}));
    answer.first = sorted.fresh.front().night;
    answer.last = sorted.fresh.back().night;
  }
  TRY(transaction->commit());
  answer.fresh = sorted.fresh.size();
  answer.known = sorted.known;
  for (const ImportedNight& night : sorted.fresh) answer.times += night.times.size();
  answer.unused = std::move(read.table.unused);
  answer.unit_assumed = read.table.unit_assumed;
  return answer;
}

}  // namespace kneepoint
