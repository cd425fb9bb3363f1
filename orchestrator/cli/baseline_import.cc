// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/baseline_import.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/files.h"
#include "orchestrator/cli/loading.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/cli/table_flags.h"
#include "orchestrator/plan/tables/history_reader.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<TableOptions> options_of(const Arguments& arguments, const std::string& only_case) {
  TRY_ASSIGN(TableOptions options, table_options(arguments));
  options.case_name = arguments.has("--case") ? arguments.text("--case") : only_case;
  return options;
}

// The same runs, in whatever order.
bool says_the_same(ImportedNight a, ImportedNight b) {
  const auto sort = [](ImportedNight& night) {
    std::sort(night.times.begin(), night.times.end(),
              [](const ImportedTime& x, const ImportedTime& y) {
                return std::tie(x.case_name, x.mode, x.k, x.seconds) <
                       std::tie(y.case_name, y.mode, y.k, y.seconds);
              });
  };
  sort(a);
  sort(b);
  return a.build == b.build && a.times == b.times;
}

int refuse(Session& session, const std::vector<Problem>& problems) {
  if (session.json) session.out << "{\"problems\":" << problems_json(problems) << "}\n";
  session.err << plain_lines(to_string(problems))
              << "kneepoint: baseline import: nothing was written\n";
  return kExitUsage;
}

struct Sorted {
  std::vector<ImportedNight> fresh;
  std::size_t known = 0;
  std::vector<Problem> problems;
};

Sorted sort_out(const HistoryTable& table, const std::vector<ImportedNight>& there,
                const std::string& file) {
  Sorted sorted;
  std::map<std::string, const ImportedNight*> by_name;
  for (const ImportedNight& night : there) by_name.emplace(night.night, &night);
  if (!there.empty() && read_date(there.front().night).has_value() !=
                            read_date(table.nights.front().night).has_value()) {
    sorted.problems.push_back({file, table.lines.front(), 1, "night",
                               "the series has nights such as '" + there.front().night +
                                   "'; dates and numbers don't mix"});
    return sorted;
  }
  for (std::size_t i = 0; i < table.nights.size(); ++i) {
    const auto known = by_name.find(table.nights[i].night);
    if (known == by_name.end()) {
      sorted.fresh.push_back(table.nights[i]);
    } else if (says_the_same(table.nights[i], *known->second)) {
      ++sorted.known;
    } else {
      sorted.problems.push_back({file, table.lines[i], 1, "night",
                                 "the series has a night " + table.nights[i].night +
                                     " that says something else; it is not replaced"});
    }
  }
  return sorted;
}

std::string summary_of(const std::string& series, const HistoryTable& table, const Sorted& sorted) {
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
  const Sorted sorted = sort_out(read.table, there, path);
  if (!sorted.problems.empty()) return refuse(session, sorted.problems);
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
