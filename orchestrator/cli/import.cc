// SPDX-License-Identifier: Apache-2.0
//
// kneepoint import: a study out of a table of K and T. The whole table is read and checked before
// the database is touched, and everything is written in one transaction.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/import_text.h"
#include "orchestrator/cli/pack_import.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRunsAtATime = 10'000;

Result<TableOptions> options_of(const Arguments& arguments) {
  TRY_ASSIGN(TableOptions options, table_options(arguments));
  if (arguments.has("--case")) options.case_name = arguments.text("--case");
  if (options.case_name.empty() || options.case_name.find_first_of("/'\n\t") != std::string::npos) {
    return wrong_flag("--case", "expected a name without '/' and quotes");
  }
  options.worker = parse_worker_unit(arguments.text("--worker"));
  return options;
}

Result<TableOrigin> origin_of(const Arguments& arguments, const std::string& bytes) {
  TableOrigin origin;
  origin.path = arguments.text("FILE");
  origin.file = fs::path(origin.path).filename().string();
  origin.sha256 = sha256_hex(bytes);
  origin.study = arguments.has("--study") ? arguments.text("--study") : study_name_of(origin.file);
  if (!is_study_name(origin.study)) {
    return wrong_flag("--study",
                      "expected 1 to 40 of a-z, 0-9 and '-', not beginning with '-', found '" +
                          origin.study.substr(0, 60) + "'");
  }
  if (arguments.has("--workers-per-node")) {
    origin.workers_per_node = arguments.count("--workers-per-node");
  }
  if (arguments.has("--floor")) {
    const std::string text = arguments.text("--floor");
    const auto floor = positive_number("--floor", text);
    if (!floor || *floor >= 1) {
      return wrong_flag("--floor", "'" + text + "' is not an efficiency between 0 and 1");
    }
    origin.knee.floor = *floor;
  }
  return origin;
}

// The study of that name that holds these bytes, read with these options.
Result<std::optional<StudyRow>> same_import(StudyStore& store, const Study& study) {
  TRY_ASSIGN(const std::vector<StudyRow> known, store.studies());
  for (const StudyRow& row : known) {
    if (row.name == study.plan.study && row.plan_text == study.plan.text) {
      return std::optional<StudyRow>(row);
    }
  }
  return std::optional<StudyRow>();
}

Result<void> put_runs(StudyStore& store, RowId study, const Table& table,
                      const std::vector<RowId>& points, const TableOrigin& origin,
                      const std::string& now) {
  std::vector<bool> seen(points.size(), false);
  std::vector<FinishedRun> runs;
  for (const TableRun& from : table.runs) {
    FinishedRun& run = runs.emplace_back();
    run.point = points[from.point];
    run.repeat = from.repeat;
    run.seconds = from.seconds;
    run.detail = "line " + std::to_string(from.line) + " of " + origin.file;
    if (from.cost >= 0) run.metrics.push_back({"cost", from.cost, table.cost_unit});
    if (!seen[from.point]) {
      seen[from.point] = true;
      run.facts = {{"run", "import.file", origin.path},
                   {"run", "import.sha256", origin.sha256},
                   {"run", "import.time", now}};
    }
    if (runs.size() < kRunsAtATime) continue;
    TRY(store.put_finished_runs(study, runs));
    runs.clear();
  }
  return store.put_finished_runs(study, runs);
}

Result<void> put_study(Session& session, StudyStore& store, const Table& table,
                       const TableStudy& made, const TableOrigin& origin, ImportAnswer& answer) {
  const Study& study = made.study;
  TRY_ASSIGN(const std::string database, database_of(session));
  TRY_ASSIGN(const auto newest, store.newest_of_series(study.plan.study, study.hash8));
  const int n = newest ? newest->n + 1 : 1;
  if (newest && newest->plan_text != study.plan.text) answer.before = newest->id;
  const std::string root = work_root(made.site, database, fs::current_path().string());
  TRY_ASSIGN(const StudyRow row, store.create_study(study, made.site, n,
                                                    root + "/" + study.plan.study + "-" +
                                                        study.hash8 + "-" + std::to_string(n)));
  answer.study = row.id;
  TRY_ASSIGN(const std::vector<RowId> points, store.put_points(row.row, study.points));
  TRY(put_runs(store, row.row, table, points, origin, to_utc_text(session.clock.wall())));
  TRY(store.put_caveats(row.row, made.caveats));
  TRY(store.put_event(
      row.row,
      {0, "import",
       counted(answer.runs, "run") + " from " + origin.path + ", sha256 " + origin.sha256, 0, 0}));
  return store.set_study_state(row.row, "finished");
}

Result<int> run_import(Session& session, const Arguments& arguments) {
  constexpr int kMostMiB = std::max<int>(kMostTableBytes >> 20, kMostPackMiB);
  TRY_ASSIGN(const std::string bytes, read_file("file", arguments.text("FILE"), kMostMiB));
  if (looks_like_tar(bytes)) return import_pack(session, arguments, bytes);
  if (arguments.has("--key")) return wrong_flag("--key", "is for evidence packs; this is none");
  if (bytes.size() > kMostTableBytes) {
    return Error{ErrorCode::invalid,
                 "the table is larger than " + std::to_string(kMostTableBytes >> 20) + " MiB"};
  }
  TRY_ASSIGN(TableOptions options, options_of(arguments));
  TRY_ASSIGN(const TableOrigin origin, origin_of(arguments, bytes));
  if (!arguments.has("--case")) options.case_name = origin.study;
  const ReadTable read = read_table(bytes, origin.path, options);
  if (!read.problems.empty()) {
    if (session.json) session.out << "{\"problems\":" << json_text(read.problems) << "}\n";
    session.err << plain_lines(to_string(read.problems))
                << "kneepoint: import: the table can't be read as it is; nothing was written\n";
    return kExitUsage;
  }
  const Table& table = read.table;
  const TableStudy made = make_table_study(table, options, origin);
  ImportAnswer answer;
  answer.file = origin.file;
  answer.sha256 = origin.sha256;
  answer.relative = table.value == ColumnKind::speedup || table.value == ColumnKind::efficiency;
  answer.runs = static_cast<long>(table.runs.size());
  answer.caveats = made.caveats;
  answer.curves = imported_curves(table);

  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  TRY_ASSIGN(auto transaction, store->begin());
  std::optional<StudyRow> known;
  if (!arguments.has("--new")) {
    TRY_ASSIGN(known, same_import(*store, made.study));
  }
  if (known) {
    answer.created = false;
    answer.study = known->id;
    // As with `run`, the floor may change without another study.
    if (arguments.has("--floor")) TRY(store->update_study_plan(known->row, made.study));
  } else {
    TRY(put_study(session, *store, table, made, origin, answer));
  }
  TRY(transaction->commit());
  session.out << (session.json ? import_json(answer) + "\n"
                               : import_text(answer, predict_width(session)));
  return kExitDone;
}

}  // namespace

CommandSpec import_command() {
  return {
      "import",
      "Make a study out of a table or an evidence pack",
      "Reads a table with a header (comma, semicolon or tab): the number of workers (K, workers, "
      "nodes, ranks, gpus) and a time (T, time, seconds, time_ms), or speedup, efficiency or "
      "throughput only; optionally repeat, mode, results, cost, case, build, nodes, size. Shows "
      "speedup and efficiency, and stores a finished study for 'report' and 'predict'. The same "
      "table again changes nothing; a changed one is the next study of its series. A table with "
      "a problem is refused as a whole. docs/reference/import.md tells more. A pack that 'export' "
      "wrote is checked as 'verify' does and becomes a study beside the others "
      "(docs/reference/evidence.md).",
      {{"FILE", "The table, or the pack", true, {}, Completes::files}},
      {{"--study", "NAME", "Name of the study (default: from the file's name)"},
       {"--mode", "MODE", "Of rows that don't say (default: strong)", {"strong", "weak"}},
       {"--case", "NAME", "Of rows that don't say (default: the study's name)"},
       {"--worker",
        "UNIT",
        "What one worker is (default: by the header, else rank)",
        {"node", "rank", "gpu"}},
       {"--workers-per-node", "N", "Where the table has no nodes (default: 1)", {}, true},
       {"--unit", "UNIT", "Of times without one: ns, us, ms, s, min, h, d (default: s)"},
       {"--decimal", "MARK", "What parts decimals (default: found out)", {"point", "comma"}},
       {"--floor", "F", "Least efficiency worth paying for (default: 0.7)"},
       {"--key",
        "FILE",
        "Public key that must have signed the pack, in PEM",
        {},
        false,
        Completes::files},
       {"--new", "", "Import again, even if this file is there already"}},
      {"kneepoint import plans/tables/vendor-180x.csv --study vendor",
       "kneepoint import times.csv --study solver --mode weak --unit ms",
       "kneepoint import slide.csv --worker gpu --workers-per-node 8 --floor 0.85",
       "kneepoint import vendor.tar --study vendor-a --key vendor-public.pem"},
      run_import};
}

}  // namespace kneepoint::cli
