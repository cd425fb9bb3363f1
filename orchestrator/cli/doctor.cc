// SPDX-License-Identifier: Apache-2.0
//
// kneepoint doctor: is a site ready? Each finding that is not good says what to change.
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/examination.h"
#include "orchestrator/cli/noise.h"
#include "orchestrator/cli/terminal.h"
#include "orchestrator/plan/site/reader.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> doctor(Session& session, const Arguments& arguments) {
  if (arguments.has("--noise")) return measure_noise(session, arguments);
  if (arguments.has("--studies")) {
    return Error{ErrorCode::invalid, "--studies is for --noise PLAN"};
  }
  Site site = built_in_local_site();
  if (arguments.has("SITE")) {
    const std::string path = arguments.text("SITE");
    TRY_ASSIGN(const std::string text, read_file("site", path));
    SiteRead read = read_site(text, path);
    if (!read.problems.empty()) return report_problems(session, read.problems);
    site = std::move(read.site);
  }
  const std::string here = std::filesystem::current_path().string();
  TRY_ASSIGN(const std::string database,
             database_path(session.database, session.environment, here));
  Examination examination(session, site, work_root(site, database, here));
  const auto& findings = examination.run();
  if (examination.was_interrupted()) {
    session.err << "kneepoint: doctor: interrupted; its jobs were cancelled\n";
    return kExitInterrupted;
  }
  session.out << (session.json ? to_json(findings, site.name)
                               : plain_lines(to_text(findings, site.name)));
  return is_ready(findings) ? kExitDone : kExitUnreachable;
}

}  // namespace

CommandSpec doctor_command() {
  return {
      "doctor",
      "Check step by step whether a site is ready",
      "Reads the site, reaches its backend, and asks whether it would take the largest job that "
      "the site's limits allow; where it has `push`, listens there for a moment; on Kubernetes "
      "also whether we may do there what a study needs. "
      "Then runs three small jobs there: one that shows that the work_dir is shared (on "
      "Kubernetes: that the image starts) and whether clocks agree, one that starts MPI ranks on "
      "two nodes, "
      "and one that does the same work seven times, to see how noisy a node is. Each finding "
      "that is not good says what to change. Ctrl-C cancels its jobs; nothing is left behind. "
      "Exits with 3 if the site is not ready; a warning leaves it ready. "
      "With --noise it measures instead how much the site's own noise hides: it runs the plan "
      "several times with one build, as studies of a series of their own (NAME-noise), tells "
      "apart what repeats, nights and nodes add to T as far as they can be told apart, and says "
      "by simulation how often the gate would alarm by mistake, the smallest slowdown it would "
      "see, and how many repeats and nights to take. Kept with the plan's series; `gate` shows it. "
      "Interrupted, the same command goes on with it.",
      {{"SITE", "The site file (default: this machine)", false, {}, Completes::files}},
      {{"--noise",
        "PLAN",
        "Measure the noise of this plan on the site",
        {},
        false,
        Completes::files},
       {"--studies", "N", "How many studies --noise takes (default: 6)", {}, true}},
      {"kneepoint doctor", "kneepoint doctor plans/sites/slurm.yaml --json",
       "kneepoint doctor plans/sites/slurm.yaml --noise plans/jacobi.yaml"},
      doctor};
}

}  // namespace kneepoint::cli
