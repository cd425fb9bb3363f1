// SPDX-License-Identifier: Apache-2.0
//
// kneepoint baseline: what is kept of a series of nights beside its studies. Nothing is
// overwritten: a baseline that is replaced stays listed as dropped.
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/gate.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/baseline_import.h"
#include "orchestrator/cli/baseline_pin.h"
#include "orchestrator/cli/baseline_text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/plan/plan/identity.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHash = 8;

Error missing(const std::string& action, const std::string& what) {
  return Error{ErrorCode::invalid, "baseline " + action + ": " + what + " is missing"};
}

std::string user_of(const Session& session) {
  for (const char* name : {"USER", "LOGNAME"}) {
    if (const auto value = session.environment(name); value && !value->empty()) return *value;
  }
  return "";
}

// A series by its own name, or by a study of it.
Result<std::string> find_series(StudyStore& store, const std::string& words) {
  const std::size_t cut = words.rfind('-');
  if (cut != std::string::npos && words.size() - cut - 1 == kHash) {
    TRY_ASSIGN(const auto studies,
               store.series_studies(words.substr(0, cut), words.substr(cut + 1)));
    if (!studies.empty()) return words;
    TRY_ASSIGN(const auto imported, store.imported_nights(words));
    TRY_ASSIGN(const auto baseline, store.baseline(words));
    if (!imported.empty() || baseline) return words;
  }
  TRY_ASSIGN(const StudyRow study, find_study(store, words));
  return series_of(study);
}

Result<SeriesView> view_of(StudyStore& store, const std::string& series) {
  SeriesView view;
  view.series = series;
  const std::size_t cut = series.rfind('-');
  TRY_ASSIGN(const auto studies,
             store.series_studies(series.substr(0, cut), series.substr(cut + 1)));
  view.studies = studies.size();
  TRY_ASSIGN(view.baseline, store.baseline(series));
  if (view.baseline) {
    for (const PinnedBuild& build : view.baseline->builds) {
      const auto same = check_pinned(build);
      view.builds.push_back({build, same ? "" : same.error().message});
    }
  }
  TRY_ASSIGN(view.acknowledged, store.acknowledged(series));
  TRY_ASSIGN(view.imported, store.imported_nights(series));
  TRY_ASSIGN(view.calibration, store.calibration(series));
  TRY_ASSIGN(view.verdicts, store.verdicts(series));
  return view;
}

Result<int> show_series(Session& session, StudyStore& store, const std::string& series) {
  TRY_ASSIGN(const SeriesView view, view_of(store, series));
  session.out << (session.json ? series_json(view) + "\n"
                               : series_text(view, predict_width(session)));
  return kExitDone;
}

Result<int> set_baseline(Session& session, StudyStore& store, const Arguments& arguments) {
  if (!arguments.has("WHAT")) return missing("set", "STUDY");
  TRY_ASSIGN(const StudyRow study, find_study(store, arguments.text("WHAT")));
  TRY(check_baseline(as_series_study(study), study.succeeded));
  Baseline baseline;
  baseline.series = series_of(study);
  baseline.study = study.id;
  baseline.note = arguments.text("--note");
  baseline.who = user_of(session);
  baseline.made_ns = session.clock.wall();
  for (const std::string& words : arguments.list("--build")) {
    TRY_ASSIGN(PinnedBuild build,
               pin_build(words, study.backend == "kubernetes", fs::current_path().string()));
    for (const PinnedBuild& other : baseline.builds) {
      if (other.workload != build.workload) continue;
      return Error{ErrorCode::invalid, "--build: two builds for the same workload"};
    }
    baseline.builds.push_back(std::move(build));
  }
  TRY_ASSIGN(const auto before, store.baseline(baseline.series));
  TRY(store.put_baseline(baseline));
  if (before) {
    session.err << "The baseline " << before->study << " of " << to_utc_text(before->made_ns)
                << " is dropped.\n";
  }
  return show_series(session, store, baseline.series);
}

Result<int> acknowledge(Session& session, StudyStore& store, const Arguments& arguments) {
  if (!arguments.has("WHAT")) return missing("ack", "STUDY");
  if (arguments.text("--note").empty()) return missing("ack", "--note, which says why,");
  TRY_ASSIGN(const StudyRow study, find_study(store, arguments.text("WHAT")));
  TRY_ASSIGN(const bool fresh,
             store.put_acknowledged({series_of(study), study.id, arguments.text("--note"),
                                     user_of(session), session.clock.wall()}));
  if (!fresh) {
    session.err << "A change was acknowledged at " << study.id
                << " before; that stays, and this note is not kept.\n";
  }
  return show_series(session, store, series_of(study));
}

Result<int> drop(Session& session, StudyStore& store, const Arguments& arguments) {
  if (!arguments.has("WHAT")) return missing("drop", "the series or a study of it");
  TRY_ASSIGN(const std::string series, find_series(store, arguments.text("WHAT")));
  if (arguments.has("--imported")) {
    TRY_ASSIGN(const int nights, store.drop_imported_nights(series));
    session.err << counted(nights, "imported night") << " of " << series << " removed.\n";
  } else {
    TRY_ASSIGN(const bool was, store.drop_baseline(series));
    if (!was) return Error{ErrorCode::not_found, series + " has no baseline"};
  }
  return show_series(session, store, series);
}

std::string only_case_of(const Plan& plan) {
  const bool one = plan.workloads.size() == 1 && plan.workloads.front().parameters.empty();
  return one ? plan.workloads.front().name : "";
}

// A plan's series may have no study yet.
Result<HistoryTarget> history_target(Session& session, StudyStore& store,
                                     const Arguments& arguments) {
  const std::string words = arguments.text("WHAT");
  std::error_code problem;
  if (fs::is_regular_file(words, problem)) {
    TRY_ASSIGN(const PlanOnSite both, read_plan_on_site(session, words, arguments.text("--site")));
    if (!both.problems.empty()) {
      return Error{ErrorCode::invalid, to_string(both.problems.front())};
    }
    return HistoryTarget{both.plan.study + "-" + series_hash(both.plan, *both.site),
                         only_case_of(both.plan)};
  }
  HistoryTarget target;
  TRY_ASSIGN(target.series, find_series(store, words));
  const std::size_t cut = target.series.rfind('-');
  TRY_ASSIGN(const auto newest,
             store.newest_of_series(target.series.substr(0, cut), target.series.substr(cut + 1)));
  if (!newest) return target;
  TRY_ASSIGN(const PlanOnSite both,
             read_stored_plan(newest->plan_text, newest->plan_path, newest->site_text));
  target.only_case = only_case_of(both.plan);
  return target;
}

Result<int> run_baseline(Session& session, const Arguments& arguments) {
  const std::string action = arguments.text("ACTION");
  const bool reads = action == "show" || action == "list";
  TRY_ASSIGN(const auto store, open_database(session, reads ? StudyStore::Access::read_only
                                                            : StudyStore::Access::read_write));
  if (action != "import" && arguments.has("FILE")) {
    return Error{ErrorCode::invalid,
                 "baseline " + action + ": '" + arguments.text("FILE") + "' is one word too many"};
  }
  if (action == "set") return set_baseline(session, *store, arguments);
  if (action == "ack") return acknowledge(session, *store, arguments);
  if (action == "drop") return drop(session, *store, arguments);
  if (action == "list") {
    TRY_ASSIGN(const std::vector<Baseline> all, store->baselines());
    session.out << (session.json ? baselines_json(all) + "\n" : baselines_text(all));
    return kExitDone;
  }
  if (action == "import") {
    if (!arguments.has("WHAT")) return missing(action, "the series, a study of it or its plan");
    if (!arguments.has("FILE")) return missing(action, "FILE");
    TRY_ASSIGN(const HistoryTarget target, history_target(session, *store, arguments));
    return import_history(session, *store, target, arguments);
  }
  TRY_ASSIGN(const std::string series, find_series(*store, arguments.text("WHAT")));
  return show_series(session, *store, series);
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
       {"WHAT",
        "Study, or series by a study of it (default of show: the newest); import: also a plan",
        false,
        {},
        Completes::studies},
       {"FILE", "import: the table", false, {}, Completes::files}},
      {{"--build",
        "[WORKLOAD=]PATH|IMAGE",
        "set: pin this program by its SHA-256, or this image",
        {},
        false,
        Completes::files},
       {"--note", "TEXT", "set, ack: why"},
       {"--imported", "", "drop: the imported nights"},
       {"--site", "FILE", "import: the plan's site", {}, false, Completes::files},
       {"--mode", "MODE", "import: of rows that don't say (default: strong)", {"strong", "weak"}},
       {"--case", "NAME", "import: of rows that don't say"},
       {"--unit", "UNIT", "import: of times without one: ns, us, ms, s, min, h, d (default: s)"},
       {"--decimal",
        "MARK",
        "import: what parts decimals (default: found out)",
        {"point", "comma"}}},
      {"kneepoint baseline set nightly --build ./app-v1.2 --note 'release 1.2'",
       "kneepoint baseline ack nightly --note 'checkpointing is on now'",
       "kneepoint baseline import plans/nightly.yaml history.csv --unit ms"},
      run_baseline};
}

}  // namespace kneepoint::cli
