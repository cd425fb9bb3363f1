// SPDX-License-Identifier: Apache-2.0
//
// A study's rows out of one database and into another. Which columns a table has is asked of our
// own schema, so a new column travels by itself; a new table needs a row in kTables (a test
// compares). No SQL is made of anything that comes from outside.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"
#include "orchestrator/store/travelling_tables.h"

namespace kneepoint {
namespace {

// Which table a column refers to; "": none.
std::string_view target_of(std::string_view column) {
  if (column == "point") return "points";
  if (column == "run") return "runs";
  if (column == "attempt") return "attempts";
  return "";
}

std::string joined(const std::vector<std::string>& columns, const std::string& before) {
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ", ") + before + column;
  return text;
}

Error refused(const std::string& table, const std::string& what) {
  return Error{ErrorCode::invalid, "table " + table.substr(0, 60) + ": " + what};
}

const TravellingTable* known_table(const std::string& name) {
  for (const TravellingTable& table : travelling_tables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

}  // namespace

// In the order in which rows can be put: what is referred to comes first.
std::span<const TravellingTable> travelling_tables() {
  static constexpr std::array<TravellingTable, 14> kTables = {{
      {"points", "FROM points t WHERE t.study = ? ORDER BY t.id"},
      {"point_parameters",
       "FROM points p JOIN point_parameters t ON t.point = p.id WHERE p.study = ?"
       " ORDER BY p.id, t.position"},
      {"builds", "FROM builds t WHERE t.study = ? ORDER BY t.position"},
      {"rounds", "FROM rounds t WHERE t.study = ? ORDER BY t.round"},
      {"runs", "FROM runs t WHERE t.study = ? ORDER BY t.number"},
      {"attempts",
       "FROM runs r JOIN attempts t ON t.run = r.id WHERE r.study = ?"
       " ORDER BY r.number, t.number"},
      {"samples",
       "FROM runs r JOIN attempts a ON a.run = r.id JOIN samples t ON t.attempt = a.id"
       " WHERE r.study = ? ORDER BY r.number, a.number, t.warmup, t.iteration"},
      {"rank_totals",
       "FROM runs r JOIN attempts a ON a.run = r.id JOIN rank_totals t ON t.attempt = a.id"
       " WHERE r.study = ? ORDER BY r.number, a.number, t.rank"},
      {"metrics",
       "FROM runs r JOIN attempts a ON a.run = r.id JOIN metrics t ON t.attempt = a.id"
       " WHERE r.study = ? ORDER BY r.number, a.number, t.name"},
      {"provenance",
       "FROM runs r JOIN attempts a ON a.run = r.id JOIN provenance t ON t.attempt = a.id"
       " WHERE r.study = ? ORDER BY r.number, a.number, t.scope, t.name"},
      {"profile_ranks",
       "FROM runs r JOIN attempts a ON a.run = r.id JOIN profile_ranks t ON t.attempt = a.id"
       " WHERE r.study = ? ORDER BY r.number, a.number, t.rank"},
      {"profile_operations",
       "FROM runs r JOIN attempts a ON a.run = r.id JOIN profile_operations t ON t.attempt = a.id"
       " WHERE r.study = ? ORDER BY r.number, a.number, t.name"},
      {"events", "FROM events t WHERE t.study = ? ORDER BY t.id"},
      {"earlier_prices", "FROM earlier_prices t WHERE t.study = ? ORDER BY t.number"},
  }};
  return kTables;
}

// Without the row's own id and the study: those are every database's own.
Result<std::vector<std::string>> StudyStore::columns_of(const std::string& table) {
  return all_rows<std::string>(
      db_.query("SELECT name FROM pragma_table_info(?) WHERE name NOT IN ('id', 'study')"
                " ORDER BY cid",
                table));
}

Result<std::vector<RowTable>> StudyStore::study_tables(RowId study) {
  TRY_ASSIGN(auto moment, db_.begin_read());
  std::vector<RowTable> tables;
  std::map<std::string, std::unordered_map<RowId, std::int64_t>, std::less<>> places;
  for (const TravellingTable& from : travelling_tables()) {
    RowTable& table = tables.emplace_back();
    table.name = from.name;
    TRY_ASSIGN(table.columns, columns_of(table.name));
    const bool referred = from.name == "points" || from.name == "runs" || from.name == "attempts";
    const std::string select = "SELECT " + std::string(referred ? "t.id, " : "") +
                               joined(table.columns, "t.") + " " + std::string(from.rows);
    TRY_ASSIGN(auto row, db_.query(select, study));
    auto& own = places[table.name];
    for (;;) {
      TRY_ASSIGN(const bool there, row.next());
      if (!there) break;
      std::vector<Cell> cells = row.cells();
      if (referred) {
        own.emplace(std::get<std::int64_t>(cells.front()),
                    static_cast<std::int64_t>(table.rows.size()) + 1);
        cells.erase(cells.begin());
      }
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string_view target = target_of(table.columns[i]);
        if (target.empty()) continue;
        cells[i] = places.find(target)->second.at(std::get<std::int64_t>(cells[i]));
      }
      table.rows.push_back(std::move(cells));
    }
  }
  TRY(moment.commit());
  return tables;
}

Result<StudyRow> StudyStore::put_foreign_study(const ForeignStudy& foreign) {
  TRY_ASSIGN(auto transaction, db_.begin());
  const StudyRow& s = foreign.row;
  TRY(db_.run(
      "INSERT INTO studies (study_id, name, hash8, n, state, backend, site, plan_path,"
      " plan_text, site_text, work_dir, worker, seed, knee_rule, knee_floor, price_path,"
      " price_item, price_text, created_ns, updated_ns)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      s.id, s.name, s.hash8, s.n, s.state, s.backend, s.site, s.plan_path, s.plan_text, s.site_text,
      s.work_dir, to_string(s.worker), static_cast<std::int64_t>(s.seed), s.knee_rule, s.knee_floor,
      s.price.book, s.price.item, s.price.text, s.created_ns, s.updated_ns));
  const RowId study = db_.last_insert_row();
  std::map<std::string, std::vector<RowId>, std::less<>> rows;  // by place, less 1
  std::size_t next = 0;  // of the tables that may come: their order is ours
  for (const RowTable& table : foreign.tables) {
    const TravellingTable* known = known_table(table.name);
    if (known == nullptr) return refused(table.name, "not one that this kneepoint knows");
    const auto at = static_cast<std::size_t>(known - travelling_tables().data());
    if (at < next) return refused(table.name, "twice, or in the wrong order");
    next = at + 1;
    TRY_ASSIGN(const std::vector<std::string> ours, columns_of(table.name));
    std::vector<std::string> seen;
    for (const std::string& column : table.columns) {
      if (std::find(ours.begin(), ours.end(), column) == ours.end()) {
        return refused(table.name, "column '" + column + "' is not one that this kneepoint knows");
      }
      if (std::find(seen.begin(), seen.end(), column) != seen.end()) {
        return refused(table.name, "column '" + column + "' is there twice");
      }
      seen.push_back(column);
    }
    const bool of_study = table.name == "points" || table.name == "rounds" ||
                          table.name == "runs" || table.name == "events" ||
                          table.name == "earlier_prices" || table.name == "builds";
    std::string marks = of_study ? "?" : "";
    for (std::size_t i = 0; i < seen.size(); ++i) marks += marks.empty() ? "?" : ", ?";
    // Every name in this text is one of our own schema.
    const std::string insert = "INSERT INTO " + std::string(known->name) + " (" +
                               (of_study ? "study, " : "") + joined(seen, "") + ") VALUES (" +
                               marks + ")";
    TRY_ASSIGN(auto put, db_.prepare(insert));
    for (std::size_t number = 0; number < table.rows.size(); ++number) {
      std::vector<Cell> cells = table.rows[number];
      if (cells.size() != seen.size()) return refused(table.name, "a row of another length");
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string_view target = target_of(seen[i]);
        if (target.empty()) continue;
        const auto* place = std::get_if<std::int64_t>(&cells[i]);
        const auto found = rows.find(target);
        if (place == nullptr || found == rows.end() || *place < 1 ||
            *place > static_cast<std::int64_t>(found->second.size())) {
          return refused(table.name, "row " + std::to_string(number + 1) + " refers to no row of " +
                                         std::string(target));
        }
        cells[i] = found->second[static_cast<std::size_t>(*place - 1)];
      }
      if (of_study) cells.insert(cells.begin(), Cell(study));
      if (auto done = put.run_cells(cells); !done) {
        return refused(table.name,
                       "row " + std::to_string(number + 1) + ": " + done.error().message);
      }
      if (table.name == "points" || table.name == "runs" || table.name == "attempts") {
        rows[table.name].push_back(db_.last_insert_row());
      }
    }
  }
  TRY(transaction.commit());
  return study_row(study);
}

}  // namespace kneepoint
