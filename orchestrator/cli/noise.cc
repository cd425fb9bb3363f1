// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/night/noise.h"

#include <algorithm>
#include <ostream>
#include <sstream>

#include "orchestrator/cli/noise.h"
#include "orchestrator/cli/run_plan.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/gate/gate.h"

namespace kneepoint::cli {

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

}  // namespace kneepoint::cli
