// SPDX-License-Identifier: Apache-2.0
//
// Rows out of one database and into another: of a study, and of what was decided about a series.
// Which columns a table of a study has is asked of our own schema, so a new column travels by
// itself; a new table needs a row in kTravelling (a test compares). No SQL is made of anything that
// comes from outside.
#include <algorithm>
#include <map>

#include "orchestrator/store/study_store.h"

namespace kneepoint {
namespace {

enum class Owner {
  study,
  point,
  run,
  attempt
};  // that a row belongs to, by the column of that name

struct TravellingTable {
  std::string_view name;
  Owner owner;
  std::string_view order;        // of an owner's rows; the table is `t`
  std::string_view column = "";  // by which others refer to its rows; "": none does
};

// In the order in which rows can be put: what is referred to comes first.
constexpr TravellingTable kTravelling[] = {
    {"points", Owner::study, "t.id", "point"},
    {"point_parameters", Owner::point, "t.position"},
    {"builds", Owner::study, "t.position"},
    {"rounds", Owner::study, "t.round"},
    {"runs", Owner::study, "t.number", "run"},
    {"attempts", Owner::run, "t.number", "attempt"},
    {"samples", Owner::attempt, "t.warmup, t.iteration"},
    {"rank_totals", Owner::attempt, "t.rank"},
    {"metrics", Owner::attempt, "t.name"},
    {"provenance", Owner::attempt, "t.scope, t.name"},
    {"profile_ranks", Owner::attempt, "t.rank"},
    {"profile_operations", Owner::attempt, "t.name"},
    {"events", Owner::study, "t.id"},
    {"earlier_prices", Owner::study, "t.number"},
};

// The rows of a study, from FROM on.
std::string rows_of(const TravellingTable& table) {
  const std::string name(table.name);
  const auto from = [&](const std::string& study, const std::string& order) {
    return "WHERE " + study + ".study = ? ORDER BY " + order + std::string(table.order);
  };
  switch (table.owner) {
    case Owner::study:
      return "FROM " + name + " t " + from("t", "");
    case Owner::point:
      return "FROM points p JOIN " + name + " t ON t.point = p.id " + from("p", "p.id, ");
    case Owner::run:
      return "FROM runs r JOIN " + name + " t ON t.run = r.id " + from("r", "r.number, ");
    case Owner::attempt:
      return "FROM runs r JOIN attempts a ON a.run = r.id JOIN " + name +
             " t ON t.attempt = a.id " + from("r", "r.number, a.number, ");
  }
  return "";
}

// The table that a column refers to; nullptr: it refers to none.
const TravellingTable* target_of(std::string_view column) {
  const auto* found = std::ranges::find(kTravelling, column, &TravellingTable::column);
  return found == std::end(kTravelling) || column.empty() ? nullptr : found;
}

Error refused(const std::string& table, const std::string& what) {
  return Error{ErrorCode::invalid, "table " + table.substr(0, 60) + ": " + what};
}

std::string in_row(std::size_t index) {
  return "row " + std::to_string(index + 1);
}

// What was decided about a series. `select`: ?1 is the series. `insert` has besides ?2 and ?3, the
// name and the hash of the file that the rows come from, ?4, the time, and ?5 on, the row's values.
struct SeriesTable {
  std::string_view name, select, insert;
};

constexpr SeriesTable kSeriesTables[] = {
    {"baseline",
     "SELECT study_id AS study, note, who, made_ns FROM series_baselines"
     " WHERE series = ?1 AND dropped_ns = 0",
     "INSERT INTO series_baselines (series, study_id, note, who, made_ns)"
     " VALUES (?1, ?5, ?6, ?7, ?8)"},
    {"pinned_builds",
     "SELECT workload, kind, value, hash FROM pinned_builds WHERE baseline ="
     " (SELECT id FROM series_baselines WHERE series = ?1 AND dropped_ns = 0) ORDER BY workload",
     "INSERT INTO pinned_builds (baseline, workload, kind, value, hash) SELECT id, ?5, ?6, ?7, ?8"
     " FROM series_baselines WHERE series = ?1 AND dropped_ns = 0"},
    {"acknowledged_changes",
     "SELECT study_id AS study, note, who, made_ns FROM acknowledged_changes"
     " WHERE series = ?1 ORDER BY made_ns",
     "INSERT INTO acknowledged_changes (series, study_id, note, who, made_ns)"
     " VALUES (?1, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET note = note"},  // the first one stands
    {"imported_nights",
     "SELECT night, order_ns, build FROM imported_nights WHERE series = ?1"
     " ORDER BY order_ns, night",
     "INSERT INTO imported_nights (series, source, file_hash, made_ns, night, order_ns, build)"
     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
    // A night is its place among the nights, from 0.
    {"imported_times",
     "SELECT (SELECT COUNT(*) FROM imported_nights x WHERE x.series = n.series"
     " AND (x.order_ns, x.night) < (n.order_ns, n.night)) AS night,"
     " t.case_name AS \"case\", t.mode, t.k, t.seconds FROM imported_nights n"
     " JOIN imported_times t ON t.night = n.id WHERE n.series = ?1"
     " ORDER BY n.order_ns, n.night, t.position",
     "INSERT INTO imported_times (night, position, case_name, mode, k, seconds) SELECT n.id,"
     " (SELECT COUNT(*) FROM imported_times x WHERE x.night = n.id), ?6, ?7, ?8, ?9"
     " FROM imported_nights n WHERE n.series = ?1 AND ?5 >= 0 ORDER BY n.id LIMIT 1 OFFSET ?5"},
    {"calibrations",
     "SELECT made_ns, repeat_sd, night_sd, node_sd, false_alarm_rate, smallest_detectable,"
     " repeats, nights, recommended_repeats, recommended_history FROM calibrations"
     " WHERE series = ?1 ORDER BY made_ns DESC, id DESC LIMIT 1",
     "INSERT INTO calibrations (series, made_ns, repeat_sd, night_sd, node_sd, false_alarm_rate,"
     " smallest_detectable, repeats, nights, recommended_repeats, recommended_history)"
     " VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"},
    {"verdicts",
     "SELECT s.study_id AS study, v.verdict, v.why, v.line, v.made_ns FROM verdicts v"
     " JOIN studies s ON s.id = v.study WHERE s.name || '-' || s.hash8 = ?1"
     " AND s.state = 'finished'"
     " AND v.position = (SELECT MAX(position) FROM verdicts WHERE study = v.study)"
     " ORDER BY s.n DESC",
     "INSERT INTO verdicts (study, position, verdict, why, line, made_ns)"
     " SELECT id, 1, ?6, ?7, ?8, ?9 FROM studies WHERE study_id = ?5"},
};

const SeriesTable* series_table(std::string_view name) {
  const auto* found = std::ranges::find(kSeriesTables, name, &SeriesTable::name);
  return found == std::end(kSeriesTables) ? nullptr : found;
}

}  // namespace

std::vector<std::string> travelling_tables() {
  std::vector<std::string> names;
  for (const TravellingTable& table : kTravelling) names.emplace_back(table.name);
  return names;
}

bool is_series_table(std::string_view name) {
  return series_table(name) != nullptr;
}

// Without the row's own id and the study: those are every database's own.
Result<std::vector<std::string>> StudyStore::columns_of_table(const std::string& table) {
  return db_.all<std::string>(
      "SELECT name FROM pragma_table_info(?) WHERE name NOT IN ('id', 'study') ORDER BY cid",
      table);
}

Result<std::vector<RowTable>> StudyStore::study_tables(RowId study) {
  TRY_ASSIGN(auto moment, db_.begin_read());
  std::vector<RowTable> tables;
  std::map<std::string_view, std::unordered_map<RowId, std::int64_t>> places;  // by table and row
  for (const TravellingTable& from : kTravelling) {
    RowTable& table = tables.emplace_back();
    table.name = from.name;
    TRY_ASSIGN(table.columns, columns_of_table(table.name));
    std::vector<std::string> selected = table.columns;
    for (std::string& column : selected) column = "t." + column;
    const bool referred = !from.column.empty();
    if (referred) selected.insert(selected.begin(), "t.id");
    TRY_ASSIGN(auto row,
               db_.query("SELECT " + list_of_names(selected) + " " + rows_of(from), study));
    for (;;) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) break;
      std::vector<Cell> cells = row.cells();
      if (referred) {
        places[from.name].emplace(std::get<std::int64_t>(cells.front()), table.rows.size() + 1);
        cells.erase(cells.begin());
      }
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const TravellingTable* target = target_of(table.columns[i]);
        if (target) cells[i] = places.at(target->name).at(std::get<std::int64_t>(cells[i]));
      }
      table.rows.push_back(std::move(cells));
    }
  }
  TRY(moment.commit());
  return tables;
}

Result<StudyRow> StudyStore::put_foreign_study(const ForeignStudy& foreign) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY(db_.run(insert_text<StudyRow>("studies"), foreign.row));
  const RowId study = db_.last_insert_row();
  std::map<std::string_view, std::vector<RowId>> rows;    // by table and place, less 1
  const TravellingTable* next = std::begin(kTravelling);  // that may come: their order is ours
  for (const RowTable& table : foreign.tables) {
    const auto* known = std::ranges::find(kTravelling, table.name, &TravellingTable::name);
    if (known == std::end(kTravelling)) {
      return refused(table.name, "not one that this kneepoint knows");
    }
    if (known < next) return refused(table.name, "twice, or in the wrong order");
    next = known + 1;
    TRY_ASSIGN(const std::vector<std::string> ours, columns_of_table(table.name));
    for (auto column = table.columns.begin(); column != table.columns.end(); ++column) {
      if (std::ranges::find(ours, *column) == ours.end()) {
        return refused(table.name, "column '" + *column + "' is not one that this kneepoint knows");
      }
      if (std::find(table.columns.begin(), column, *column) != column) {
        return refused(table.name, "column '" + *column + "' is there twice");
      }
    }
    // Every name in this text is one of our own schema.
    const bool of_study = known->owner == Owner::study;
    std::vector<std::string> columns = table.columns;
    if (of_study) columns.insert(columns.begin(), "study");
    TRY_ASSIGN(auto put, db_.prepare(insert_text(table.name, columns)));
    for (std::size_t index = 0; index < table.rows.size(); ++index) {
      std::vector<Cell> cells = table.rows[index];
      if (cells.size() != table.columns.size()) {
        return refused(table.name, "a row of another length");
      }
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const TravellingTable* target = target_of(table.columns[i]);
        if (target == nullptr) continue;
        const auto* place = std::get_if<std::int64_t>(&cells[i]);
        const std::vector<RowId>& those = rows[target->name];
        if (place == nullptr || *place < 1 || *place > static_cast<std::int64_t>(those.size())) {
          return refused(table.name,
                         in_row(index) + " refers to no row of " + std::string(target->name));
        }
        cells[i] = those[static_cast<std::size_t>(*place - 1)];
      }
      if (of_study) cells.insert(cells.begin(), Cell(study));
      if (auto done = put.run_cells(cells); !done) {
        return refused(table.name, in_row(index) + ": " + done.error().message);
      }
      if (!known->column.empty()) rows[known->name].push_back(db_.last_insert_row());
    }
  }
  TRY(transaction.commit());
  return study_row(study);
}

Result<std::vector<RowTable>> StudyStore::series_tables(const std::string& series) {
  TRY_ASSIGN(auto moment, db_.begin_read());
  std::vector<RowTable> tables;
  for (const SeriesTable& from : kSeriesTables) {
    TRY_ASSIGN(auto row, db_.query(from.select, series));
    RowTable& table = tables.emplace_back();
    table.name = from.name;
    table.columns = row.names();
    for (;;) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) break;
      table.rows.push_back(row.cells());
    }
  }
  TRY(moment.commit());
  return tables;
}

Result<void> StudyStore::put_series_table(const std::string& series, const RowTable& table,
                                          const std::string& source, const std::string& hash) {
  const SeriesTable* known = series_table(table.name);
  ENSURE(known != nullptr, "is_series_table() was asked before");
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const auto ours, db_.prepare(known->select));
  if (table.columns != ours.names()) {
    return refused(table.name, "other columns than this one has");
  }
  TRY_ASSIGN(auto put, db_.prepare(known->insert));
  for (std::size_t index = 0; index < table.rows.size(); ++index) {
    std::vector<Cell> cells = {series, source, hash, clock_.wall()};
    cells.insert(cells.end(), table.rows[index].begin(), table.rows[index].end());
    const auto done = put.run_cells(cells);
    if (!done) return refused(table.name, in_row(index) + ": " + done.error().message);
    if (*done != 1) return refused(table.name, in_row(index) + " refers to nothing that is there");
  }
  return transaction.commit();
}

}  // namespace kneepoint
