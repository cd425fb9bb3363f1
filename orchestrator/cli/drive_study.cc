// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/drive_study.h"

#include <csignal>
#include <ostream>

#include "orchestrator/answers/input_files.h"
#include "orchestrator/answers/lease.h"
#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/cli/live_reports.h"
#include "orchestrator/cli/run_view.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {

Result<EngineOutcome> drive_study(Session& session, StudyStore& store, const Site& site,
                                  const Study& study, const ChosenStudy& chosen,
                                  const DriveOptions& drive) {
  TRY_ASSIGN(const HeldLease lease, HeldLease::take(store, chosen.row, session.clock));
  TRY(store.update_study_plan(chosen.row.row, study));
  TRY(stage_inputs(study.plan, chosen.row.work_dir));
  if (chosen.choice == Continuation::reopen) TRY(store.reopen_failed_runs(chosen.row.row));
  session.err << sentence_of(chosen) << std::endl;
  EngineOptions options;
  if (drive.kept) {
    TRY_ASSIGN(const std::string changed,
               change_price(store, chosen.row, *drive.kept, session.clock));
    if (!changed.empty()) session.err << wrap("prices: " + changed, 100, 0);
    TRY_ASSIGN(options.earlier_prices, stored_earlier_prices(store, chosen.row.row));
  }
  if (drive.announce) drive.announce();
  TRY_ASSIGN(const SiteAccess access, reach_site(session, site, chosen.row.work_dir));
  TRY(access.poller->take_signals());
  std::signal(SIGPIPE, SIG_IGN);  // whoever read our lines is gone; the study goes on
  RunView view(session, store, chosen.row.row);
  options.concurrent = drive.concurrent;
  options.lease = lease.lease();
  options.price = drive.price;
  TRY_ASSIGN(auto endpoint, open_live_reports(session, site, drive.database, chosen.row, options));
  view.attach(options);
  auto outcome = run_study(store, chosen.row, study, site, *access.launcher, *access.poller,
                           session.clock, options);
  view.finish();
  endpoint.reset();
  if (!outcome) return outcome.error().in(chosen.row.id);
  if (outcome->end == EngineEnd::finished) forget_live_reports(drive.database, chosen.row);
  return outcome;
}

}  // namespace kneepoint::cli
