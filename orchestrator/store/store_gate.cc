// SPDX-License-Identifier: Apache-2.0
//
// What the nightly gate remembers of a series: baselines, acknowledged changes, nights from tables,
// calibrations, verdicts, and the studies that it consists of. Rows are added and marked, not
// replaced.
#include "orchestrator/store/study_store.h"

namespace kneepoint {

Result<void> StudyStore::put_baseline(const Baseline& baseline) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY(drop_baseline(baseline.series));
  TRY(db_.run(insert_text<Baseline>("series_baselines"), baseline));
  const RowId row = db_.last_insert_row();
  for (const PinnedBuild& build : baseline.builds) {
    TRY(db_.run(insert_text<PinnedBuild>("pinned_builds", {"baseline"}), row, build));
  }
  return transaction.commit();
}

Result<std::vector<Baseline>> StudyStore::baselines() {
  TRY_ASSIGN(auto moment, db_.begin_read());
  TRY_ASSIGN(auto rows,
             (db_.all<std::tuple<RowId, Baseline>>("SELECT id, " + select_list<Baseline>() +
                                                   " FROM series_baselines ORDER BY id DESC")));
  TRY_ASSIGN(
      const auto builds,
      (db_.all<std::tuple<RowId, PinnedBuild>>("SELECT baseline, " + select_list<PinnedBuild>() +
                                               " FROM pinned_builds ORDER BY workload")));
  TRY(moment.commit());
  std::vector<Baseline> found;
  for (auto& [row, baseline] : rows) {
    for (const auto& [of, build] : builds) {
      if (of == row) baseline.builds.push_back(build);
    }
    found.push_back(std::move(baseline));
  }
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
  TRY_ASSIGN(const int changed, db_.run(insert_text<AcknowledgedChange>("acknowledged_changes") +
                                            " ON CONFLICT DO NOTHING",
                                        change));
  return changed > 0;
}

Result<std::vector<AcknowledgedChange>> StudyStore::acknowledged(const std::string& series) {
  return db_.all<AcknowledgedChange>(
      "SELECT " + select_list<AcknowledgedChange>() +
          " FROM acknowledged_changes WHERE series = ? ORDER BY made_ns",
      series);
}

Result<void> StudyStore::put_imported_nights(const ImportedNights& import) {
  TRY_ASSIGN(auto transaction, db_.begin());
  const Nanoseconds now = clock_.wall();
  for (const ImportedNight& night : import.nights) {
    const auto put = db_.run(
        insert_text<ImportedNight>("imported_nights", {"series", "source", "file_hash", "made_ns"}),
        import.series, import.source, import.file_hash, now, night);
    if (!put) {
      if (put.error().code != ErrorCode::exists) return put.error();
      return Error{ErrorCode::exists,
                   "series " + import.series + " has a night " + night.night + " already"};
    }
    const RowId row = db_.last_insert_row();
    int position = 0;
    for (const ImportedTime& time : night.times) {
      TRY(db_.run(insert_text<ImportedTime>("imported_times", {"night", "position"}), row,
                  position++, time));
    }
  }
  return transaction.commit();
}

Result<std::vector<ImportedNight>> StudyStore::imported_nights(const std::string& series) {
  TRY_ASSIGN(auto times, (db_.all<std::tuple<RowId, ImportedNight, ImportedTime>>(
                             "SELECT n.id, " + select_list<ImportedNight>("n.") + ", " +
                                 select_list<ImportedTime>("t.") +
                                 " FROM imported_nights n JOIN imported_times t ON t.night = n.id"
                                 " WHERE n.series = ? ORDER BY n.order_ns, n.night, t.position",
                             series)));
  std::vector<ImportedNight> found;
  RowId last = 0;
  for (auto& [row, night, time] : times) {
    if (row != last) found.push_back(std::move(night));
    last = row;
    found.back().times.push_back(std::move(time));
  }
  return found;
}

Result<int> StudyStore::drop_imported_nights(const std::string& series) {
  return db_.run("DELETE FROM imported_nights WHERE series = ?", series);
}

Result<void> StudyStore::put_calibration(const Calibration& calibration) {
  TRY(db_.run(insert_text<Calibration>("calibrations"), calibration));
  return {};
}

Result<std::optional<Calibration>> StudyStore::calibration(const std::string& series) {
  return db_.first<Calibration>("SELECT " + select_list<Calibration>() +
                                    " FROM calibrations WHERE series = ?"
                                    " ORDER BY made_ns DESC, id DESC LIMIT 1",
                                series);
}

Result<bool> StudyStore::put_verdict(const StoredVerdict& verdict) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const auto last,
             (db_.first<std::tuple<RowId, int, StoredVerdict>>(
                 "SELECT s.id, v.position, study_id, verdict, why, line, made_ns FROM studies s"
                 " LEFT JOIN verdicts v ON v.study = s.id WHERE s.study_id = ?"
                 " ORDER BY v.position DESC LIMIT 1",
                 verdict.study)));
  if (!last) return Error{ErrorCode::not_found, "there is no study " + verdict.study};
  const auto& [study, position, before] = *last;
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
  return db_.all<StoredVerdict>(
      "SELECT " + select_list<StoredVerdict>() +
          " FROM verdicts v JOIN studies s ON s.id = v.study WHERE (? = '' OR"
          " s.name || '-' || s.hash8 = ?) AND v.position ="
          " (SELECT MAX(position) FROM verdicts WHERE study = v.study)"
          " ORDER BY s.name, s.hash8, s.n DESC",
      series, series);
}

Result<std::vector<SeriesStudy>> StudyStore::series_studies(const std::string& name,
                                                            const std::string& hash8) {
  return db_.all<SeriesStudy>("SELECT " + select_list<SeriesStudy>() +
                                  " FROM studies WHERE name = ? AND hash8 = ? ORDER BY n",
                              name, hash8);
}

Result<std::vector<std::string>> StudyStore::other_series(const std::string& name,
                                                          const std::string& hash8) {
  return db_.all<std::string>(
      "SELECT name || '-' || hash8 FROM studies WHERE name = ? AND hash8 <> ?"
      " AND backend <> 'import' GROUP BY hash8 ORDER BY MAX(created_ns) DESC, hash8",
      name, hash8);
}

}  // namespace kneepoint
