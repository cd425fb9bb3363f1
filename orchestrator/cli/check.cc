// SPDX-License-Identifier: Apache-2.0
//
// kneepoint check: what a plan would do on a site. Submits nothing and opens no database.
#include <ostream>

#include "orchestrator/answers/site/check.h"
#include "orchestrator/cli/running.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> check(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(CheckAnswer answer,
             check_plan(session, {arguments.text("PLAN"), arguments.text("--site"),
                                  price_choice(arguments), arguments.text("--emit")}));
  if (!answer.problems.empty()) return report_problems(session, answer.problems);
  if (answer.site.push.on) {
    const LiveReportsTry tried = try_live_reports(answer.site, session.clock);
    answer.live_reports = tried.text;
    answer.live_refused = tried.refused;
  }
  session.out << (session.json ? to_json(answer) : plain_lines(to_text(answer)));
  return answer.is_refused() ? kExitUsage : kExitDone;
}

}  // namespace

CommandSpec check_command() {
  return {
      "check",
      "Show what a plan would do; submit nothing",
      "Reads a plan and a site and reports every problem at once. Shows the matrix (points, "
      "sizes, repeats), what would be submitted, the estimated node-hours (with prices also "
      "what they cost), and warnings. "
      "Asks the site's backend what it would say to each shape. Submits nothing and touches no "
      "database. Where the site has `push`, listens there for a moment. Exits with 2 if the "
      "backend "
      "would refuse a shape, if `push` can't work, or if the plan can't fit its budget: then it "
      "says what would fit.",
      {file_argument("PLAN", "The plan file")},
      with_price_flags(
          {file_flag("--site", "Where it would run (default: KNEEPOINT_SITE, else this machine)"),
           file_flag(
               "--emit",
               "Write what would be submitted for the first run of each point into DIR, which must "
               "be new or empty",
               "DIR")}),
      {"kneepoint check plans/quickstart.yaml",
       "kneepoint check plans/jacobi.yaml --site plans/sites/simulated.yaml --emit scripts"},
      check};
}

}  // namespace kneepoint::cli
