// SPDX-License-Identifier: Apache-2.0
//
// kneepoint import: a study out of a table of K and T or out of an evidence pack, or a series back
// under its own name, so that the gate answers as before. Nothing that is there is replaced.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/series_archive.h"
#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/answers/study/import_table.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/plan/tables/reader.h"
#include "orchestrator/report/terminal/answers.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

// The name of the file without its folder.
std::string file_of(const Arguments& arguments) {
  return std::filesystem::path(arguments.text("FILE")).filename().string();
}

Result<int> import_series(Session& session, const Arguments& arguments, const Pack& pack,
                          bool trusted) {
  for (const char* flag : {"--study", "--new"}) {
    if (arguments.has(flag)) {
      return wrong_flag(flag, "is not for a series: it keeps its name, and is read back once");
    }
  }
  const std::string file = file_of(arguments);
  TRY_ASSIGN(const SeriesImport done, kneepoint::import_series(session, pack, file, trusted));
  if (session.json) {
    session.out << json_text(done) << "\n";
    return kExitDone;
  }
  session.out << "series " << done.series << ": "
              << counted(static_cast<long>(done.studies.size()), "study") << " from " << file
              << (done.known > 0 ? ", " + std::to_string(done.known) + " were here already" : "")
              << "\n"
              << "note: " << wrap(plain(done.origin), predict_width(session), 6).substr(6);
  for (const std::string& one : done.kept) {
    session.out << "note: the series has a " << one << " here, which stays\n";
  }
  return kExitDone;
}

Result<int> import_pack(Session& session, const Arguments& arguments, const std::string& bytes) {
  for (const char* flag :
       {"--mode", "--case", "--worker", "--workers-per-node", "--unit", "--decimal", "--floor"}) {
    if (arguments.has(flag)) return wrong_flag(flag, "is for tables; this is an evidence pack");
  }
  const std::string name = arguments.text("--study");
  if (arguments.has("--study") && !is_study_name(name)) {
    return wrong_flag("--study", "expected 1 to 40 of a-z, 0-9 and '-', not beginning with '-'");
  }
  const std::string file = file_of(arguments);
  TRY_ASSIGN(const auto key, trusted_key_of(arguments));
  const auto pack = open_pack(bytes, key);
  if (!pack) return pack.error().in(file + ", nothing was written");
  if (is_series_archive(*pack)) return import_series(session, arguments, *pack, key.has_value());
  TRY_ASSIGN(const PackImport answer,
             kneepoint::import_pack(session,
                                    {*pack, file, name, arguments.has("--new"), key.has_value()}));
  session.out << (session.json ? json_text(answer) + "\n"
                               : to_text(answer, predict_width(session)));
  return kExitDone;
}

Result<ImportTableRequest> request_of(const Arguments& arguments) {
  ImportTableRequest request;
  request.path = arguments.text("FILE");
  TRY_ASSIGN(request.options, table_options(arguments));
  request.options.worker = parse_worker_unit(arguments.text("--worker"));
  if (arguments.has("--case")) {
    const std::string name = arguments.text("--case");
    if (name.empty() || name.find_first_of("/'\n\t") != std::string::npos) {
      return wrong_flag("--case", "expected a name without '/' and quotes");
    }
    request.case_name = name;
  }
  if (arguments.has("--study")) request.study = arguments.text("--study");
  if (arguments.has("--workers-per-node")) {
    request.workers_per_node = arguments.count("--workers-per-node");
  }
  if (arguments.has("--floor")) {
    const std::string text = arguments.text("--floor");
    const auto floor = positive_number("--floor", text);
    if (!floor || *floor >= 1) {
      return wrong_flag("--floor", "'" + text + "' is not an efficiency between 0 and 1");
    }
    request.floor = *floor;
  }
  request.make_new = arguments.has("--new");
  return request;
}

Result<int> run_import(Session& session, const Arguments& arguments) {
  constexpr int kMostMiB = std::max<int>(kMostTableBytes >> 20, kMostPackMiB);
  TRY_ASSIGN(std::string bytes, read_file("file", arguments.text("FILE"), kMostMiB));
  if (looks_like_tar(bytes)) return import_pack(session, arguments, bytes);
  if (arguments.has("--key")) return wrong_flag("--key", "is for evidence packs; this is none");
  if (bytes.size() > kMostTableBytes) {
    return Error{ErrorCode::invalid,
                 "the table is larger than " + std::to_string(kMostTableBytes >> 20) + " MiB"};
  }
  TRY_ASSIGN(ImportTableRequest request, request_of(arguments));
  request.bytes = std::move(bytes);
  TRY_ASSIGN(const ImportAnswer answer, import_table(session, request));
  if (!answer.problems.empty()) {
    if (session.json) session.out << "{\"problems\":" << json_text(answer.problems) << "}\n";
    session.err << plain_lines(to_string(answer.problems))
                << "kneepoint: import: the table can't be read as it is; nothing was written\n";
    return kExitUsage;
  }
  show(session, answer);
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
      {file_argument("FILE", "The table, or the pack")},
      {{"--study", "NAME", "Name of the study (default: from the file's name)"},
       mode_flag("Of rows that don't say (default: strong)"),
       {"--case", "NAME", "Of rows that don't say (default: the study's name)"},
       choice_flag("--worker", "UNIT", "What one worker is (default: by the header, else rank)",
                   {"node", "rank", "gpu"}),
       count_flag("--workers-per-node", "Where the table has no nodes (default: 1)"),
       {"--unit", "UNIT", "Of times without one: ns, us, ms, s, min, h, d (default: s)"},
       choice_flag("--decimal", "MARK", "What parts decimals (default: a point, no commas)",
                   {"point", "comma"}),
       {"--floor", "F", "Least efficiency worth paying for (default: 0.7)"},
       file_flag("--key", "Public key that must have signed the pack, in PEM"),
       {"--new", "", "Import again, even if this file is there already"}},
      {"kneepoint import plans/tables/vendor-180x.csv --study vendor",
       "kneepoint import times.csv --study solver --mode weak --unit ms",
       "kneepoint import slide.csv --worker gpu --workers-per-node 8 --floor 0.85",
       "kneepoint import vendor.tar --study vendor-a --key vendor-public.pem"},
      run_import};
}

}  // namespace kneepoint::cli
