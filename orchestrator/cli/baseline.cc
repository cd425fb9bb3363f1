// SPDX-License-Identifier: Apache-2.0
//
// kneepoint baseline: what is kept of a series of nights beside its studies.
#include "orchestrator/answers/night/baseline.h"

#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/gate/gate.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Error missing(const std::string& action, const std::string& what) {
  return Error{ErrorCode::invalid, "baseline " + action + ": " + what + " is missing"};
}

Result<int> show_series(Session& session, StudyStore& store, const std::string& series) {
  TRY_ASSIGN(const SeriesView view, view_series(store, series));
  session.out << (session.json ? series_json(view) + "\n"
                               : series_text(view, predict_width(session)));
  return kExitDone;
}

Result<int> set(Session& session, StudyStore& store, const Arguments& arguments) {
  if (!arguments.has("WHAT")) return missing("set", "STUDY");
  TRY_ASSIGN(const SetBaseline done, set_baseline(session, store,
                                                  {arguments.text("WHAT"), arguments.text("--note"),
                                                   arguments.list("--build")}));
  if (done.before) {
    session.err << "The baseline " << done.before->study << " of "
                << to_utc_text(done.before->made_ns) << " is dropped.\n";
  }
  return show_series(session, store, done.series);
}

Result<int> acknowledge(Session& session, StudyStore& store, const Arguments& arguments) {
  const std::string note = arguments.text("--note");
  if (!arguments.has("WHAT")) return missing("ack", "STUDY");
  if (note.empty()) return missing("ack", "--note, which says why,");
  TRY_ASSIGN(const Acknowledged done,
             acknowledge_change(session, store, arguments.text("WHAT"), note));
  if (!done.fresh) {
    session.err << "A change was acknowledged at " << done.study
                << " before; that stays, and this note is not kept.\n";
  }
  return show_series(session, store, done.series);
}

Result<int> drop(Session& session, StudyStore& store, const Arguments& arguments) {
  if (!arguments.has("WHAT")) return missing("drop", "the series or a study of it");
  TRY_ASSIGN(const std::string series, find_series(store, arguments.text("WHAT")));
  if (arguments.has("--imported")) {
    TRY_ASSIGN(const int nights, store.drop_imported_nights(series));
    session.err << counted(nights, "imported night") << " of " << series << " removed.\n";
  } else {
    TRY(drop_baseline(store, series));
  }
  return show_series(session, store, series);
}

Result<int> import_nights(Session& session, StudyStore& store, const Arguments& arguments) {
  if (!arguments.has("WHAT")) return missing("import", "the series, a study of it or its plan");
  if (!arguments.has("FILE")) return missing("import", "FILE");
  HistoryRequest request{
      arguments.text("WHAT"), arguments.text("--site"), arguments.text("FILE"), {}};
  TRY_ASSIGN(request.options, table_options(arguments));
  request.options.case_name = arguments.text("--case");
  TRY_ASSIGN(const ImportedHistory done, import_history(session, store, request));
  if (!done.problems.empty()) {
    if (session.json) session.out << "{\"problems\":" << json_text(done.problems) << "}\n";
    session.err << plain_lines(to_string(done.problems))
                << "kneepoint: baseline import: nothing was written\n";
    return kExitUsage;
  }
  session.out << (session.json ? json_text(done, 2) + "\n" : wrap(imported_text(done), 100, 0));
  return kExitDone;
}

Result<int> list_baselines(Session& session, StudyStore& store, const Arguments&) {
  TRY_ASSIGN(const std::vector<Baseline> all, store.baselines());
  session.out << (session.json ? baselines_json(all) + "\n" : baselines_text(all));
  return kExitDone;
}

Result<int> show_named(Session& session, StudyStore& store, const Arguments& arguments) {
  TRY_ASSIGN(const std::string series, find_series(store, arguments.text("WHAT")));
  return show_series(session, store, series);
}

struct Action {
  const char* name;
  StudyStore::Access access;
  bool takes_file;
  Result<int> (*run)(Session&, StudyStore&, const Arguments&);
};
constexpr auto kReads = StudyStore::Access::read_only;
constexpr auto kWrites = StudyStore::Access::read_write;
constexpr Action kActions[] = {{"set", kWrites, false, set},
                               {"show", kReads, false, show_named},
                               {"list", kReads, false, list_baselines},
                               {"drop", kWrites, false, drop},
                               {"ack", kWrites, false, acknowledge},
                               {"import", kWrites, true, import_nights}};

Result<int> run_baseline(Session& session, const Arguments& arguments) {
  const std::string name = arguments.text("ACTION");
  for (const Action& action : kActions) {
    if (name != action.name) continue;
    TRY_ASSIGN(const auto store, open_database(session, action.access));
    if (!action.takes_file && arguments.has("FILE")) {
      return Error{ErrorCode::invalid,
                   "baseline " + name + ": '" + arguments.text("FILE") + "' is one word too many"};
    }
    return action.run(session, *store, arguments);
  }
  return kExitBug;  // the parser takes no other
}

}  // namespace

CommandSpec baseline_command() {
  return {
      "baseline",
      "Manage baselines",
      "set: makes a finished study the baseline of its series (studies of the same plan and site); "
      "--build pins the program or image to measure in turns with later ones. show: what is kept "
      "of a series. list: all baselines. drop: the series has none any more (--imported: forget "
      "its imported nights instead). ack: a change is wanted, so that from this study on a new "
      "segment begins. import: nights from a table (CSV or JSON) that are older than the series; "
      "docs/reference/gate.md tells more.",
      {{"ACTION", "What to do", true, {"set", "show", "list", "drop", "ack", "import"}},
       study_argument(
           "WHAT",
           "Study, or series by a study of it (default of show: the newest); import: also a plan",
           false),
       file_argument("FILE", "import: the table", false)},
      {file_flag("--build", "set: pin this program by its SHA-256, or this image",
                 "[WORKLOAD=]PATH|IMAGE"),
       {"--note", "TEXT", "set, ack: why"},
       {"--imported", "", "drop: the imported nights"},
       file_flag("--site", "import: the plan's site"),
       mode_flag("import: of rows that don't say (default: strong)"),
       {"--case", "NAME", "import: of rows that don't say"},
       {"--unit", "UNIT", "import: of times without one: ns, us, ms, s, min, h, d (default: s)"},
       choice_flag("--decimal", "MARK", "import: what parts decimals (default: a point, no commas)",
                   {"point", "comma"})},
      {"kneepoint baseline set nightly --build ./app-v1.2 --note 'release 1.2'",
       "kneepoint baseline ack nightly --note 'checkpointing is on now'",
       "kneepoint baseline import plans/nightly.yaml history.csv --unit ms"},
      run_baseline};
}

}  // namespace kneepoint::cli
