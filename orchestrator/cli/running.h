// SPDX-License-Identifier: Apache-2.0
//
// `run` and its parts, also for commands that measure something themselves: a plan from its files
// to its report (run.cc), the engine at one chosen study with its progress on the screen and live
// reports of its agents (drive_study.cc), and a controller in the background (detach.cc).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/choose_study.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/report/document.h"
#include "orchestrator/server/push/endpoint.h"

namespace kneepoint::cli {

// What is to be run, and how: what `run` makes of its flags.
struct RunRequest {
  std::string plan, site;           // files; site "": the usual one
  std::string resume;               // instead of a plan: the study that is to go on
  std::vector<std::string> builds;  // as --ab names them: two are compared in turns
  PriceChoice prices;
  int concurrent = 0;  // allocations at a time; 0: as the site has it
  bool make_new = false, retry_failed = false, detach = false;
  Nanoseconds night_began = 0;  // as in ChoiceRequest
  std::string name_ending;      // put to the study's name: its studies are a series of their own
};

// `study_id` becomes that of the study worked on; it stays as it is when the plan is refused.
Result<int> run_plan(Session& session, const RunRequest& request, std::string& study_id);

// run --detach: the same program again in a session of its own, with its log in the study's folder.
// Returns when the controller holds the study's lease or has ended; a controller that fails to
// start is shown with its last words.
Result<int> start_detached(Session& session, StudyStore& store, const StudyRow& study,
                           const std::string& database, const RunRequest& request);

// The controller's command line. Pure.
std::vector<std::string> controller_argv(const std::string& executable, const std::string& database,
                                         const Session& session, const RunRequest& request);

// For running inside another command: no screen, an answer of its own.
Session inner_session(const Session& session, std::ostream& out, std::ostream& err);

struct DriveOptions {
  std::string database;             // its path
  int concurrent = 0;               // allocations at once; 0: as the site has it
  std::optional<StudyPrice> price;  // what runs are billed by
  std::optional<SitePrice> kept;    // put into the study
  std::function<void()> announce;   // once the study is ours; empty: nothing to say
};

Result<EngineOutcome> drive_study(Session& session, StudyStore& store, const Site& site,
                                  const SiteAccess& access, const Study& study,
                                  const ChosenStudy& chosen, const DriveOptions& drive);

// Pure. Lines of at most style.width columns: bar and counts, time and node-hours, the table of
// efficiency so far (as report/terminal/operating.h writes it), what happened last, why nothing
// runs.
std::string to_live_text(const Progress& progress, const std::string& efficiency_table,
                         const TerminalStyle& style);

// "40 of 40 runs done, 1 failed; 12.3 s, 0.0034 node-hours": the last line of a run without a
// terminal.
std::string to_summary_line(const Progress& progress);

// Listens until it is destroyed, and fills in options.live. Nothing (and no endpoint) if the site
// has no `push`; a port that is taken is a warning, since records have another way home.
Result<std::unique_ptr<PushEndpoint>> open_live_reports(Session& session, const Site& site,
                                                        const std::string& database,
                                                        const StudyRow& study,
                                                        EngineOptions& options);

// Would live reports work here? Listens for a moment on the address; nothing is made or kept.
struct LiveReportsTry {
  bool good = true;
  bool refused = false;  // `run` would end with an error; else it would go on without live reports
  std::string text;      // a sentence
};
LiveReportsTry try_live_reports(const Site& site, const Clock& clock);

// The spool of a study that is over, or deleted, is no longer needed.
void forget_live_reports(const std::string& database, const StudyRow& study);

}  // namespace kneepoint::cli
