// SPDX-License-Identifier: Apache-2.0
//
// kneepoint doctor: is a site ready? Each finding that is not good says what to change.
#include <filesystem>
#include <ostream>

#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/examination.h"
#include "orchestrator/cli/files.h"
#include "orchestrator/cli/places.h"
#include "orchestrator/plan/site_reader.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> doctor(Session& session, const Arguments& arguments) {
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
             database_path(session.database_flag, session.environment, here));
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
      "Exits with 3 if the site is not ready; a warning leaves it ready.",
      {{"SITE", "The site file (default: this machine)", false, {}, Completes::files}},
      {},
      {"kneepoint doctor", "kneepoint doctor plans/sites/slurm.yaml --json"},
      doctor};
}

}  // namespace kneepoint::cli
