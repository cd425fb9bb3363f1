// SPDX-License-Identifier: Apache-2.0
//
// Every query is bounded, by a number of rows or by an index of one study.
#include "orchestrator/store/dashboard_view.h"

#include <algorithm>

#include "orchestrator/store/migrations.h"

namespace kneepoint {
namespace {

const std::string kSelectLines =
    "SELECT s.id, s.study_id, s.name, s.hash8, s.n, s.state, s.backend, s.site, s.worker,"
    " s.knee_floor, s.created_ns, MAX(s.updated_ns, COALESCE(l.heartbeat_ns, 0)),"
    " (SELECT COUNT(*) FROM runs WHERE study = s.id),"
    " (SELECT COUNT(*) FROM runs WHERE study = s.id AND outcome = 'succeeded'),"
    " (SELECT COUNT(*) FROM runs WHERE study = s.id AND outcome = 'failed'),"
    " COALESCE(l.host, ''), COALESCE(l.pid, 0), COALESCE(l.heartbeat_ns, 0)"
    " FROM studies s LEFT JOIN leases l ON l.study = s.id ";

const std::string kSelectSeries =
    "SELECT name, hash8, COUNT(*), study_id, state, created_ns, MAX(n)"  // the row of that n
    " FROM studies WHERE backend <> 'import' ";

constexpr char kActiveStates[] = "('submitting', 'queued', 'running', 'collecting')";

}  // namespace

Result<DashboardView> DashboardView::open(const std::string& path) {
  TRY_ASSIGN(auto database, Database::open_read_only(path));
  TRY(require_current(*database, embedded_migrations()));
  return DashboardView(std::move(database));
}

Result<std::int64_t> DashboardView::data_version() {
  return database_->number_of("PRAGMA data_version");
}

Result<std::vector<StudyLine>> DashboardView::lines(const std::string& which,
                                                    const auto&... values) {
  TRY_ASSIGN(auto rows,
             (database_->all<std::tuple<StudyLine, Lease>>(kSelectLines + which, values...)));
  std::vector<StudyLine> found;
  for (auto& [line, lease] : rows) {
    if (lease.heartbeat_ns > 0) line.lease = std::move(lease);
    found.push_back(std::move(line));
  }
  return found;
}

Result<std::vector<StudyLine>> DashboardView::studies(int most, const std::string& before) {
  if (before.empty()) return lines("ORDER BY s.created_ns DESC, s.id DESC LIMIT ?", most);
  TRY_ASSIGN(const StudyLine last, study(before));
  return lines("WHERE (s.created_ns, s.id) < (?, ?) ORDER BY s.created_ns DESC, s.id DESC LIMIT ?",
               last.created_ns, last.row, most);
}

Result<StudyLine> DashboardView::study(const std::string& id) {
  TRY_ASSIGN(std::vector<StudyLine> found, lines("WHERE s.study_id = ?", id));
  if (!found.empty()) return std::move(found.front());
  return Error{ErrorCode::not_found, "there is no study of this id"};
}

Result<std::vector<StudyLine>> DashboardView::unattended(int most) {
  return lines("WHERE s.state = 'running' ORDER BY s.created_ns DESC, s.id DESC LIMIT ?", most);
}

Result<std::vector<Event>> DashboardView::last_events(RowId study, int most) {
  TRY_ASSIGN(std::vector<Event> events,
             database_->all<Event>("SELECT " + select_list<Event>() +
                                       " FROM events WHERE study = ? ORDER BY id DESC LIMIT ?",
                                   study, most));
  std::reverse(events.begin(), events.end());
  return events;
}

Result<std::int64_t> DashboardView::newest_event(RowId study, std::int64_t after) {
  // By row, not by the study's index: only what is newer is looked at.
  return database_->number_of("SELECT COALESCE(MAX(id), ?) FROM events WHERE id > ? AND +study = ?",
                              after, after, study);
}

Result<std::vector<ActiveLine>> DashboardView::active(RowId study, int most) {
  static const std::string kSelect =
      std::string(
          "SELECT r.number, a.number, a.state, a.nodes, a.waiting,"
          " CASE WHEN a.started_ns > 0 THEN a.started_ns ELSE a.submitted_ns END,"
          " (SELECT COUNT(*) FROM pushed_records p WHERE p.attempt = a.id AND p.type = 'sample')"
          " FROM runs r JOIN attempts a ON a.run = r.id"
          " WHERE r.study = ? AND r.outcome = 'open' AND a.state IN ") +
      kActiveStates + " ORDER BY r.number, a.number LIMIT ?";
  return database_->all<ActiveLine>(kSelect, study, most);
}

Result<std::vector<PointPace>> DashboardView::paces(RowId study) {
  return database_->all<PointPace>(
      "SELECT COALESCE(AVG(seconds), 0), COUNT(seconds),"
      " COUNT(DISTINCT CASE WHEN outcome = 'open' THEN run END) FROM"
      " (SELECT r.point, r.id AS run, r.outcome,"
      "   CASE WHEN a.state = 'succeeded' AND a.ended_ns > a.started_ns AND a.started_ns > 0"
      "   THEN (a.ended_ns - a.started_ns) * 1e-9 END AS seconds"
      "  FROM runs r LEFT JOIN attempts a ON a.run = r.id WHERE r.study = ?) GROUP BY point",
      study);
}

Result<std::vector<RunLine>> DashboardView::runs(RowId study, int after, int most) {
  static const std::string kSelect =
      std::string(
          "SELECT r.number, p.key, p.k, r.repeat,"
          " CASE WHEN a.id IS NULL THEN 'planned'"
          "  WHEN r.outcome = 'open' AND a.state NOT IN ") +
      kActiveStates +
      " THEN 'planned' ELSE a.state END,"
      " CASE WHEN r.outcome = 'succeeded' THEN a.seconds END, COALESCE(a.number, 0)"
      " FROM runs r JOIN points p ON p.id = r.point"
      " LEFT JOIN attempts a ON a.run = r.id"
      "  AND a.number = (SELECT MAX(number) FROM attempts WHERE run = r.id)"
      " WHERE r.study = ? AND r.number > ? ORDER BY r.number LIMIT ?";
  return database_->all<RunLine>(kSelect, study, after, most);
}

Result<std::vector<SeriesLine>> DashboardView::series(int most) {
  return database_->all<SeriesLine>(
      kSelectSeries + "GROUP BY name, hash8 ORDER BY created_ns DESC, name LIMIT ?", most);
}

Result<SeriesLine> DashboardView::series_of(const std::string& id) {
  const std::size_t dash = id.rfind('-');
  if (dash != std::string::npos) {
    TRY_ASSIGN(auto found, database_->first<SeriesLine>(
                               kSelectSeries + "AND name = ? AND hash8 = ? GROUP BY name, hash8",
                               id.substr(0, dash), id.substr(dash + 1)));
    if (found) return std::move(*found);
  }
  return Error{ErrorCode::not_found, "there is no series of this id"};
}

Result<std::map<std::string, std::int64_t>> DashboardView::counts(std::string_view sql) {
  TRY_ASSIGN(const auto rows, (database_->all<std::tuple<std::string, std::int64_t>>(sql)));
  std::map<std::string, std::int64_t> found;
  for (const auto& [word, count] : rows) found[word] = count;
  return found;
}

Result<std::map<std::string, std::int64_t>> DashboardView::studies_by_state() {
  return counts("SELECT state, COUNT(*) FROM studies GROUP BY state");
}

Result<std::map<std::string, std::int64_t>> DashboardView::runs_by_outcome() {
  return counts("SELECT outcome, COUNT(*) FROM runs GROUP BY outcome");
}

}  // namespace kneepoint
