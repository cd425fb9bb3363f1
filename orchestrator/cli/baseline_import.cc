// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/baseline_import.h"

#include <filesystem>
#include <ostream>

#include "orchestrator/analysis/gate/segment.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/plan/tables/history_reader.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<TableOptions> options_of(const Arguments& arguments, const std::string& only_case) {
  TRY_ASSIGN(TableOptions options, table_options(arguments));
  options.case_name = arguments.has("--case") ? arguments.text("--case") : only_case;
  return options;
}

int refuse(Session& session, const std::vector<Problem>& problems) {
  if (session.json) session.out << "{\"problems\":" << json_text(problems) << "}\n";
  session.err << plain_lines(to_string(problems))
              << "kneepoint: baseline import: nothing was written\n";
  return kExitUsage;
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

std::string summary_of(const std::string& series, const HistoryTable& table,
                       const SortedNights& sorted) {
  if (sorted.fresh.empty()) {
    return "All " + counted(static_cast<long>(sorted.known), "night") + " of the table are in " +
           series + " already; nothing was written.\n";
  }
  std::size_t times = 0;
  for (const ImportedNight& night : sorted.fresh) times += night.times.size();
  std::string text = counted(static_cast<long>(sorted.fresh.size()), "night") + " (" +
                     sorted.fresh.front().night + " to " + sorted.fresh.back().night + ") with " +
                     counted(static_cast<long>(times), "time") + " imported for " + series;
  if (sorted.known > 0) text += "; " + std::to_string(sorted.known) + " were there already";
  if (table.unit_assumed) text += "; times without a unit are taken as seconds";
  if (!table.unused.empty()) {
    text += "; not used:";
    for (const std::string& column : table.unused) text += " '" + column + "'";
  }
  return plain(text) + ".\n";
}

}  // namespace

Result<int> import_history(Session& session, StudyStore& store, const HistoryTarget& target,
                           const Arguments& arguments) {
  const std::string path = arguments.text("FILE");
  TRY_ASSIGN(const std::string bytes,
             read_file("file", path, static_cast<int>(kMostTableBytes >> 20)));
  TRY_ASSIGN(const TableOptions options, options_of(arguments, target.only_case));
  const ReadHistory read = read_history(bytes, path, options);
  if (!read.problems.empty()) return refuse(session, read.problems);
  TRY_ASSIGN(auto transaction, store.begin());
  TRY_ASSIGN(const auto there, store.imported_nights(target.series));
  const SortedNights sorted = sort_nights(read.table.nights, there);
  const auto problems = problems_of(read.table, sorted, there, path);
  if (!problems.empty()) return refuse(session, problems);
  if (!sorted.fresh.empty()) {
    TRY(store.put_imported_nights({target.series, std::filesystem::path(path).filename().string(),
                                   sha256_hex(bytes), sorted.fresh}));
  }
  TRY(transaction->commit());
  if (session.json) {
    JsonWriter json(2);
    json.begin_object().key("series").value(target.series);
    json.key("imported").value(static_cast<std::int64_t>(sorted.fresh.size()));
    json.key("known").value(static_cast<std::int64_t>(sorted.known));
    json.key("unused").begin_array();
    for (const std::string& column : read.table.unused) json.value(column);
    session.out << json.end_array().end_object().text() << "\n";
  } else {
    session.out << wrap(summary_of(target.series, read.table, sorted), 100, 0);
  }
  return kExitDone;
}

}  // namespace kneepoint::cli
