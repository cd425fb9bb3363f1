// SPDX-License-Identifier: Apache-2.0
//
// Nights for the gate: from tables, and from the studies of a series, read with no more than the
// rule needs. A night is two queries over its own rows, whatever the length of the series.
#include "orchestrator/model/provenance.h"
#include "orchestrator/store/compared_names.h"
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

constexpr std::string_view kProgram = "program=";

}  // namespace

Result<void> StudyStore::put_imported_nights(const ImportedNights& import) {
  TRY_ASSIGN(auto transaction, db_.begin());
  const Nanoseconds now = clock_.wall();
  TRY_ASSIGN(auto put_time,
             db_.prepare("INSERT INTO imported_times (night, position, case_name, mode, k,"
                         " seconds) VALUES (?, ?, ?, ?, ?, ?)"));
  for (const ImportedNight& night : import.nights) {
    const auto put = db_.run(
        "INSERT INTO imported_nights (series, night, order_ns, build, source,"
        " file_hash, made_ns) VALUES (?, ?, ?, ?, ?, ?, ?)",
        import.series, night.night, night.order_ns, night.build, import.source, import.file_hash,
        now);
    if (!put) {
      if (put.error().code != ErrorCode::exists) return put.error();
      return Error{ErrorCode::exists,
                   "series " + import.series + " has a night " + night.night + " already"};
    }
    const RowId row = db_.last_insert_row();
    int position = 0;
    for (const ImportedTime& time : night.times) {
      TRY(put_time.run(row, position++, time.case_name, to_string(time.mode), time.k,
                       time.seconds));
    }
  }
  return transaction.commit();
}

Result<std::vector<ImportedNight>> StudyStore::imported_nights(const std::string& series) {
  TRY_ASSIGN(auto row, db_.query("SELECT n.id, n.night, n.order_ns, n.build, t.case_name, t.mode,"
                                 " t.k, t.seconds FROM imported_nights n"
                                 " JOIN imported_times t ON t.night = n.id WHERE n.series = ?"
                                 " ORDER BY n.order_ns, n.night, t.position",
                                 series));
  std::vector<ImportedNight> found;
  RowId last = 0;
  for (RowId id = 0;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) return found;
    ImportedNight night;
    ImportedTime time;
    std::string mode;
    row.read(id, night.night, night.order_ns, night.build, time.case_name, mode, time.k,
             time.seconds);
    const auto parsed = parse_mode(mode);
    if (!parsed) return unreadable("mode", mode);
    time.mode = *parsed;
    if (id != last) found.push_back(std::move(night));
    last = id;
    found.back().times.push_back(std::move(time));
  }
}

Result<int> StudyStore::drop_imported_nights(const std::string& series) {
  return db_.run("DELETE FROM imported_nights WHERE series = ?", series);
}

Result<std::vector<SeriesStudy>> StudyStore::series_studies(const std::string& name,
                                                            const std::string& hash8) {
  return all_rows<SeriesStudy>(
      db_.query("SELECT id, study_id, n, state, backend, created_ns FROM studies"
                " WHERE name = ? AND hash8 = ? ORDER BY n",
                name, hash8),
      [](const Statement& row, SeriesStudy& one) {
        row.read(one.row, one.id, one.n, one.state, one.backend, one.created_ns);
      });
}

Result<std::vector<std::string>> StudyStore::other_series(const std::string& name,
                                                          const std::string& hash8) {
  return all_rows<std::string>(
      db_.query("SELECT name || '-' || hash8 FROM studies WHERE name = ?"
                " AND hash8 <> ? AND backend <> 'import' GROUP BY hash8"
                " ORDER BY MAX(created_ns) DESC, hash8",
                name, hash8));
}

Result<GateNight> StudyStore::gate_night(RowId study) {
  TRY_ASSIGN(auto moment, db_.begin_read());
  GateNight night;
  {
    TRY_ASSIGN(auto row, db_.query("SELECT study_id FROM studies WHERE id = ?", study));
    TRY_ASSIGN(const bool there, row.next());
    if (!there) return no_such("study", study);
    row.read(night.id);
  }
  // The newest attempt of a run decides.
  TRY_ASSIGN(auto row,
             db_.query("SELECT p.id, p.key, a.seconds, a.compute_seconds, a.communication_seconds"
                       " FROM points p CROSS JOIN runs r ON r.point = p.id"
                       " CROSS JOIN attempts a ON a.run = r.id WHERE p.study = ?"
                       " AND a.state = 'succeeded' AND a.seconds > 0 AND NOT EXISTS"
                       " (SELECT 1 FROM attempts b WHERE b.run = a.run AND b.number > a.number)"
                       " ORDER BY p.id, r.repeat",
                       study));
  RowId last = 0;
  std::string key;
  for (RowId point = 0;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) break;
    double seconds = 0, compute = 0, communication = 0;
    row.read(point, key, seconds, compute, communication);
    if (point != last) night.points.push_back({key, {}, {}, {}});
    last = point;
    night.points.back().seconds.push_back(seconds);
    night.points.back().compute.push_back(compute);
    night.points.back().communication.push_back(communication);
  }
  TRY(read_night_facts(study, night));
  TRY(moment.commit());
  return night;
}

Result<void> StudyStore::read_night_facts(RowId study, GateNight& night) {
  static const std::string kSelect =
      "SELECT DISTINCT t.name, t.value FROM runs r CROSS JOIN attempts a ON a.run = r.id"
      " CROSS JOIN provenance t ON t.attempt = a.id WHERE r.study = ? AND a.state = 'succeeded'"
      " AND t.name IN (" +
      names_of_compared_facts() + ")";
  TRY_ASSIGN(const auto facts,
             all_rows<Fact>(db_.query(kSelect, study), [](const Statement& row, Fact& fact) {
               row.read(fact.name, fact.value);
             }));
  const std::string text = comparable_provenance(facts);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("; ", begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    if (part.starts_with(kProgram)) {
      night.program = part.substr(kProgram.size());
    } else {
      night.environment += (night.environment.empty() ? "" : "; ") + part;
    }
    begin = end + 2;
  }
  return {};
}

}  // namespace kneepoint
