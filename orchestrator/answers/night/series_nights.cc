// SPDX-License-Identifier: Apache-2.0
//
// Nights are the finished studies of the series, as `gate` has them, and the newest study even if
// it is not finished. The newest is judged now, as `kneepoint gate` would; the others have the
// verdict that was stored when they were judged. A night that nobody judged is judged now, against
// the nights before it.
#include "orchestrator/answers/night/series_nights.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/answers/night/gate.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostShownNights = 60;  // what change points look at

std::optional<std::string> verdict_now(StudyStore& store, const StudyRow& night) {
  const auto report = gate_study(store, night);
  if (!report) return std::nullopt;  // imported, or a plan of another version
  return to_string(report->answer.verdict);
}

Result<StudyRow> newest_of(StudyStore& store, const SeriesLine& series) {
  TRY_ASSIGN(auto newest, store.newest_of_series(series.name, series.hash8));
  if (newest) return std::move(*newest);
  return Error{ErrorCode::not_found, "the series has no studies"};
}

// The nights that are shown, oldest first.
Result<std::vector<StudyRow>> shown_nights(StudyStore& store, const SeriesLine& series) {
  TRY_ASSIGN(std::vector<StudyRow> all, store.studies());
  std::erase_if(all, [&](const StudyRow& row) {
    return row.name != series.name || row.hash8 != series.hash8 ||
           (row.state != "finished" && row.id != series.newest);
  });
  if (all.empty()) return Error{ErrorCode::not_found, "the series has no studies"};
  std::sort(all.begin(), all.end(), [](const StudyRow& a, const StudyRow& b) { return a.n < b.n; });
  if (all.size() > kMostShownNights) {
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kMostShownNights));
  }
  return all;
}

std::optional<double> median_at(const StudyEvidence& night, const std::string& key) {
  for (const PointEvidence& at : night.points) {
    if (at.point.key() != key) continue;
    std::vector<double> seconds;
    for (const RunEvidence& run : at.runs) {
      if (run.state == AttemptState::succeeded) seconds.push_back(run.seconds);
    }
    if (!seconds.empty()) return median(std::move(seconds));
  }
  return std::nullopt;
}

SeriesPoint point_over(const Point& point, const std::vector<StudyEvidence>& nights) {
  SeriesPoint out{point.key(), point.workload, point.mode, point.k, {}, {}};
  std::vector<double> logs;
  std::vector<std::size_t> measured;  // nights of `logs`
  for (std::size_t night = 0; night < nights.size(); ++night) {
    const auto seconds = out.seconds.emplace_back(median_at(nights[night], out.key));
    if (!seconds || !(*seconds > 0)) continue;
    logs.push_back(std::log(*seconds));
    measured.push_back(night);
  }
  out.changes = change_points(logs);
  for (ChangePoint& change : out.changes) change.night = measured[change.night];
  return out;
}

}  // namespace

std::optional<std::string> JudgedNights::verdict(StudyStore& store, const StudyRow& night) {
  const std::pair<std::string, Nanoseconds> key{night.id, night.created_ns};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  auto verdict = verdict_now(store, night);
  const std::lock_guard lock(mutex_);
  return known_.insert_or_assign(key, std::move(verdict)).first->second;
}

Result<SeriesNights> series_nights(StudyStore& store, const SeriesLine& series,
                                   JudgedNights& judged) {
  SeriesNights answer;
  answer.series = series.id();
  TRY_ASSIGN(const std::vector<StudyRow> rows, shown_nights(store, series));
  std::vector<StudyEvidence> evidence;
  for (const StudyRow& row : rows) {
    TRY_ASSIGN(evidence.emplace_back(), store.evidence(row.row));
  }
  TRY_ASSIGN(const auto stored, store.verdicts(series.id()));
  for (const StudyRow& row : rows) {
    SeriesNight& night = answer.nights.emplace_back();
    night.study = row.id;
    night.created_ns = row.created_ns;
    const bool newest = &row == &rows.back();
    const auto known = std::find_if(stored.begin(), stored.end(),
                                    [&](const StoredVerdict& one) { return one.study == row.id; });
    if (known != stored.end()) night.verdict = known->verdict;
    if (known != stored.end() && !newest) continue;
    // The newest may still run, so that it is judged every time.
    const auto verdict = newest ? verdict_now(store, row) : judged.verdict(store, row);
    if (!verdict) continue;
    night.verdict = *verdict;
    night.now = true;
  }
  for (const PointEvidence& at : evidence.back().points) {
    answer.points.push_back(point_over(at.point, evidence));
  }
  return answer;
}

Result<std::optional<std::string>> newest_verdict(StudyStore& store, const SeriesLine& series) {
  TRY_ASSIGN(const StudyRow newest, newest_of(store, series));
  return verdict_now(store, newest);
}

}  // namespace kneepoint
