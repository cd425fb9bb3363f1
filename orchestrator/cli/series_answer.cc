// SPDX-License-Identifier: Apache-2.0
//
// Nights are the finished studies of the series, as `gate` has them, and the newest study even if
// it is not finished. The newest is judged now, as `kneepoint gate` would; the others have the
// verdict that was stored when they were judged. A night that nobody judged is judged now, against
// the nights before it.
#include "orchestrator/cli/series_answer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "orchestrator/analysis/statistics/change_points.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/answers/gate.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/server/dashboard/api_schema.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostShownNights = 60;  // what change points look at

struct NightVerdict {
  std::string verdict;
  bool now = false;  // judged for this answer, and not stored
};

struct Nights {
  std::vector<StudyRow> rows;  // oldest first
  std::vector<StudyEvidence> evidence;
  std::map<std::string, NightVerdict> verdicts;  // by study; none: it can't be judged
};

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

Result<Nights> nights_of(StudyStore& store, const SeriesLine& series, JudgedNights& judged) {
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
  Nights nights;
  for (StudyRow& row : all) {
    TRY_ASSIGN(StudyEvidence evidence, store.evidence(row.row));
    nights.evidence.push_back(std::move(evidence));
    nights.rows.push_back(std::move(row));
  }
  TRY_ASSIGN(const auto stored, store.verdicts(series.id()));
  for (const StoredVerdict& one : stored) nights.verdicts[one.study] = {one.verdict, false};
  const StudyRow& newest = nights.rows.back();
  for (const StudyRow& row : nights.rows) {
    if (row.id != newest.id && nights.verdicts.contains(row.id)) continue;
    // The newest may still run, so that it is judged every time.
    const auto verdict = row.id == newest.id ? verdict_now(store, row) : judged.verdict(store, row);
    if (verdict) nights.verdicts[row.id] = {*verdict, true};
  }
  return nights;
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

void put_point(JsonWriter& json, const Point& point, const std::vector<StudyEvidence>& nights) {
  const std::string key = point.key();
  json.begin_object().put("key", key).put("workload", point.workload).put("mode", point.mode);
  json.put("k", point.k).key("seconds").begin_array();
  std::vector<double> logs;
  std::vector<std::size_t> measured;  // nights of `logs`
  for (std::size_t night = 0; night < nights.size(); ++night) {
    const auto seconds = median_at(nights[night], key);
    put(json, seconds);
    if (!seconds || !(*seconds > 0)) continue;
    logs.push_back(std::log(*seconds));
    measured.push_back(night);
  }
  json.end_array().key("changes").begin_array();
  for (const ChangePoint& change : change_points(logs)) {
    json.begin_object().put("night", measured[change.night]).put("ratio", change.ratio);
    json.end_object();
  }
  json.end_array().end_object();
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

Result<std::string> series_json(StudyStore& store, const SeriesLine& series, JudgedNights& judged) {
  TRY_ASSIGN(const Nights nights, nights_of(store, series, judged));
  JsonWriter json;
  json.begin_object().put("schema", kApiSchema).put("series", series.id());
  json.key("nights").begin_array();
  for (const StudyRow& row : nights.rows) {
    const auto verdict = nights.verdicts.find(row.id);
    const NightVerdict said = verdict == nights.verdicts.end() ? NightVerdict{} : verdict->second;
    json.begin_object().put("study", row.id).put("time", to_utc_text(row.created_ns));
    json.put_or_null("verdict", said.verdict);
    json.put_or_null("judged", said.verdict.empty() ? "" : said.now ? "now" : "then");
    json.end_object();
  }
  json.end_array().key("points").begin_array();
  for (const PointEvidence& at : nights.evidence.back().points) {
    put_point(json, at.point, nights.evidence);
  }
  return json.end_array().end_object().text() + "\n";
}

Result<std::optional<std::string>> newest_verdict(StudyStore& store, const SeriesLine& series) {
  TRY_ASSIGN(const StudyRow newest, newest_of(store, series));
  return verdict_now(store, newest);
}

}  // namespace kneepoint::cli
