// SPDX-License-Identifier: Apache-2.0
//
// kneepoint import: a study out of a table of K and T, or out of an evidence pack.
#include <algorithm>
#include <ostream>

#include "orchestrator/answers/study/import_table.h"
#include "orchestrator/base/files.h"
#include "orchestrator/cli/pack_import.h"
#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/show.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

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
       {"--decimal", "MARK", "What parts decimals (default: a point, no commas)", {"point", "comma"}},
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
