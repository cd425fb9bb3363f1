// SPDX-License-Identifier: Apache-2.0
//
// What people and the gate decided about a series: baselines, acknowledged changes, calibrations,
// verdicts. Rows are added and marked, not replaced.
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

Cell cell_of(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

}  // namespace

Result<void> StudyStore::put_baseline(const Baseline& baseline) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY(drop_baseline(baseline.series));
  TRY(
      db_.run("INSERT INTO series_baselines (series, study_id, note, who, made_ns)"
              " VALUES (?, ?, ?, ?, ?)",
              baseline.series, baseline.study, baseline.note, baseline.who, baseline.made_ns));
  const RowId row = db_.last_insert_row();
  for (const PinnedBuild& build : baseline.builds) {
    TRY(
        db_.run("INSERT INTO pinned_builds (baseline, workload, kind, value, hash)"
                " VALUES (?, ?, ?, ?, ?)",
                row, build.workload, to_string(build.kind), build.value, build.hash));
  }
  return transaction.commit();
}

Result<std::vector<Baseline>> StudyStore::baselines() {
  TRY_ASSIGN(auto moment, db_.begin_read());
  TRY_ASSIGN(auto row, db_.query("SELECT id, series, study_id, note, who, made_ns, dropped_ns"
                                 " FROM series_baselines ORDER BY id DESC"));
  std::vector<Baseline> found;
  std::map<RowId, std::size_t> places;
  for (RowId id = 0;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    Baseline& one = found.emplace_back();
    row.read(id, one.series, one.study, one.note, one.who, one.made_ns, one.dropped_ns);
    places.emplace(id, found.size() - 1);
  }
  TRY_ASSIGN(auto build, db_.query("SELECT baseline, workload, kind, value, hash"
                                   " FROM pinned_builds ORDER BY baseline, workload"));
  for (RowId id = 0;;) {
    TRY_ASSIGN(const bool there, build.next());
    if (!there) break;
    PinnedBuild one;
    std::string kind;
    build.read(id, one.workload, kind, one.value, one.hash);
    one.kind = kind == to_string(BuildKind::image) ? BuildKind::image : BuildKind::path;
    found[places.at(id)].builds.push_back(std::move(one));
  }
  TRY(moment.commit());
  return found;
}

Result<std::optional<Baseline>> StudyStore::baseline(const std::string& series) {
  TRY_ASSIGN(std::vector<Baseline> all, baselines());
  for (Baseline& one : all) {
    if (one.series == series && one.dropped_ns == 0) return std::optional(std::move(one));
  }
  return std::optional<Baseline>();
}

Result<bool> StudyStore::drop_baseline(const std::string& series) {
  TRY_ASSIGN(const int changed, db_.run("UPDATE series_baselines SET dropped_ns = ?"
                                        " WHERE series = ? AND dropped_ns = 0",
                                        clock_.wall(), series));
  return changed > 0;
}

Result<bool> StudyStore::put_acknowledged(const AcknowledgedChange& change) {
  TRY_ASSIGN(const int changed,
             db_.run("INSERT OR IGNORE INTO acknowledged_changes"
                     " (series, study_id, note, who, made_ns) VALUES (?, ?, ?, ?, ?)",
                     change.series, change.study, change.note, change.who, change.made_ns));
  return changed > 0;
}

Result<std::vector<AcknowledgedChange>> StudyStore::acknowledged(const std::string& series) {
  return all_rows<AcknowledgedChange>(
      db_.query("SELECT series, study_id, note, who, made_ns"
                " FROM acknowledged_changes WHERE series = ? ORDER BY made_ns",
                series),
      [](const Statement& row, AcknowledgedChange& one) {
        row.read(one.series, one.study, one.note, one.who, one.made_ns);
      });
}

Result<void> StudyStore::put_calibration(const Calibration& one) {
  TRY(
      db_.run("INSERT INTO calibrations (series, made_ns, repeat_sd, night_sd, node_sd,"
              " false_alarm_rate, smallest_detectable, repeats, nights, recommended_repeats,"
              " recommended_history) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              one.series, one.made_ns, one.repeat_sd, cell_of(one.night_sd), cell_of(one.node_sd),
              one.false_alarm_rate, one.smallest_detectable, one.repeats, one.nights,
              one.recommended_repeats, one.recommended_history));
  return {};
}

Result<std::optional<Calibration>> StudyStore::calibration(const std::string& series) {
  TRY_ASSIGN(auto row, db_.query("SELECT series, made_ns, repeat_sd, night_sd, node_sd,"
                                 " false_alarm_rate, smallest_detectable, repeats, nights,"
                                 " recommended_repeats, recommended_history FROM calibrations"
                                 " WHERE series = ? ORDER BY made_ns DESC, id DESC LIMIT 1",
                                 series));
  TRY_ASSIGN(const bool there, row.next());
  if (!there) return std::optional<Calibration>();
  Calibration one;
  row.read(one.series, one.made_ns, one.repeat_sd, one.night_sd, one.node_sd, one.false_alarm_rate,
           one.smallest_detectable, one.repeats, one.nights, one.recommended_repeats,
           one.recommended_history);
  return std::optional(std::move(one));
}

Result<bool> StudyStore::put_verdict(const StoredVerdict& verdict) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(auto last, db_.query("SELECT s.id, COALESCE(v.position, 0), COALESCE(v.verdict, ''),"
                                  " COALESCE(v.why, ''), COALESCE(v.line, '') FROM studies s"
                                  " LEFT JOIN verdicts v ON v.study = s.id WHERE s.study_id = ?"
                                  " ORDER BY v.position DESC LIMIT 1",
                                  verdict.study));
  TRY_ASSIGN(const bool there, last.next());
  if (!there) return Error{ErrorCode::not_found, "there is no study " + verdict.study};
  RowId study = 0;
  int position = 0;
  StoredVerdict before;
  last.read(study, position, before.verdict, before.why, before.line);
  if (before.verdict == verdict.verdict && before.why == verdict.why &&
      before.line == verdict.line) {
    return false;
  }
  TRY(
      db_.run("INSERT INTO verdicts (study, position, verdict, why, line, made_ns)"
              " VALUES (?, ?, ?, ?, ?, ?)",
              study, position + 1, verdict.verdict, verdict.why, verdict.line, verdict.made_ns));
  TRY(transaction.commit());
  return true;
}

Result<std::vector<StoredVerdict>> StudyStore::verdicts(const std::string& series) {
  return all_rows<StoredVerdict>(
      db_.query("SELECT s.study_id, v.verdict, v.why, v.line, v.made_ns FROM verdicts v"
                " JOIN studies s ON s.id = v.study WHERE (? = '' OR"
                " s.name || '-' || s.hash8 = ?) AND v.position ="
                " (SELECT MAX(position) FROM verdicts WHERE study = v.study)"
                " ORDER BY s.name, s.hash8, s.n DESC",
                series, series),
      [](const Statement& row, StoredVerdict& one) {
        row.read(one.study, one.verdict, one.why, one.line, one.made_ns);
      });
}

}  // namespace kneepoint
