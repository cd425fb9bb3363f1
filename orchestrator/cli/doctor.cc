// SPDX-License-Identifier: Apache-2.0
//
// kneepoint doctor: is a site ready? Each finding that is not good says what to change. With
// --noise: one build against itself on a site, several times over.
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "orchestrator/answers/night/noise.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/answers/site/doctor.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/running.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/plan/readers.h"
#include "orchestrator/report/gate/gate.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> measure_noise(Session& session, const Arguments& arguments) {
  NoiseRequest request{arguments.text("--noise"), arguments.text("SITE")};
  if (arguments.has("--studies")) request.studies = arguments.count("--studies");
  int code = kExitDone;
  const auto run = [&](Nanoseconds since, int number) -> Result<std::string> {
    std::ostringstream ignored;
    Session inner = inner_session(session, ignored, session.err);
    if (number > 0) {
      session.err << "noise: study " << number << " of " << std::max(request.studies, 2) << "\n";
    }
    std::string id;
    RunRequest one{request.plan, request.site};
    one.make_new = true;
    one.night_began = since;
    one.name_ending = kNoiseEnding;
    TRY_ASSIGN(code, run_plan(inner, one, id));
    return code == kExitDone ? id : "";
  };
  TRY_ASSIGN(const NoiseAnswer answer, kneepoint::measure_noise(session, request, run));
  if (!answer.problems.empty()) return report_problems(session, answer.problems);
  if (!answer.report) {
    session.err << "kneepoint: doctor: the calibration is not complete; the same command goes on "
                   "with it\n";
    return code;
  }
  session.out << (session.json ? noise_json(*answer.report) + "\n"
                               : noise_text(*answer.report, predict_width(session)));
  return kExitDone;
}

// A port that is taken costs live reports only.
std::optional<SiteFinding> push_finding(const Site& site, const Clock& clock) {
  if (!site.push.on) return std::nullopt;
  const LiveReportsTry tried = try_live_reports(site, clock);
  const Grade trouble = tried.refused ? Grade::bad : Grade::warning;
  return SiteFinding{"push", tried.good ? Grade::ok : trouble, tried.text};
}

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
  const DoctorRequest request{
      site, work_root(site, database, here), [&] { return push_finding(site, session.clock); },
      [&](const std::string& text) { session.err << "kneepoint: doctor: " << text << std::endl; }};
  const DoctorAnswer answer = examine_site(session, request);
  if (answer.interrupted) {
    session.err << "kneepoint: doctor: interrupted; its jobs were cancelled\n";
    return kExitInterrupted;
  }
  session.out << (session.json ? json_text(answer) + "\n" : plain_lines(to_text(answer)));
  return answer.is_ready() ? kExitDone : kExitUnreachable;
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
      {file_argument("SITE", "The site file (default: this machine)", false)},
      {file_flag("--noise", "Measure the noise of this plan on the site", "PLAN"),
       count_flag("--studies", "How many studies --noise takes (default: 6)")},
      {"kneepoint doctor", "kneepoint doctor plans/sites/slurm.yaml --json",
       "kneepoint doctor plans/sites/slurm.yaml --noise plans/jacobi.yaml"},
      doctor};
}

}  // namespace kneepoint::cli
