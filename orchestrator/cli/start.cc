// SPDX-License-Identifier: Apache-2.0
//
// kneepoint start: asks a controller elsewhere (`kneepoint serve`) to start a study. It opens no
// database and reads no plan: both are the controller's.
#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/controller_client.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr Nanoseconds kBetweenServerLooks = 2 * kSecond;
constexpr Nanoseconds kServerPatience = 10 * kMinute;  // with a server that does not answer

int exit_code_of(const RemoteStudy& study, const std::string& verdict) {
  if (study.state == "cancelled") return kExitInterrupted;
  if (study.failed > 0 || study.succeeded == 0 || verdict == "FAILED") return kExitRunsFailed;
  return verdict == "REGRESSED" ? kExitNegative : kExitDone;
}

std::string line_of(const RemoteStudy& study) {
  return study.id + " " + study.state + ": " + std::to_string(study.succeeded + study.failed) +
         " of " + counted(study.runs, "run") + " done, " + std::to_string(study.failed) + " failed";
}

// Until it is over. A server that is being restarted is waited for.
Result<RemoteStudy> follow(Session& session, ControllerClient& client, const std::string& id) {
  Poller poller;
  TRY(poller.take_signals());
  std::string last;
  Nanoseconds answered = session.clock.steady();
  for (;;) {
    const auto study = client.study(id);
    if (study) {
      answered = session.clock.steady();
      if (const std::string line = line_of(*study); line != last && !session.json) {
        session.err << plain(line) << std::endl;
        last = line;
      }
      if (study->is_over() && !study->running) return study;
    } else if (study.error().code == ErrorCode::invalid ||
               session.clock.steady() - answered > kServerPatience) {
      return study.error();
    }
    TRY_ASSIGN(const Poller::Woken woken, poller.wait(kBetweenServerLooks));
    if (!woken.signals.empty()) {
      return Error{ErrorCode::interrupted, id + " goes on; only the waiting has ended"};
    }
  }
}

Result<int> start(Session& session, const Arguments& arguments) {
  if (arguments.has("--gate") && !arguments.has("--wait")) {
    return Error{ErrorCode::invalid, "--gate judges the study when it is over: say --wait too"};
  }
  for (const char* flag : {"--server", "--token-file"}) {
    if (!arguments.has(flag)) {
      return Error{ErrorCode::invalid, std::string(flag) + " is missing"};
    }
  }
  TRY_ASSIGN(auto client,
             ControllerClient::make(arguments.text("--server"), arguments.text("--token-file"),
                                    arguments.text("--ca"), session.clock));
  TRY_ASSIGN(const std::string id, client.start(arguments.text("PLAN"), arguments.text("--site"),
                                                arguments.has("--gate")));
  RemoteStudy study;
  study.id = id;
  std::string verdict;
  int code = kExitDone;
  if (!session.json) session.out << plain(id) << std::endl;
  if (arguments.has("--wait")) {
    TRY_ASSIGN(study, follow(session, client, id));
    if (arguments.has("--gate")) {
      TRY_ASSIGN(verdict, client.verdict(study.series, id));
      if (!session.json) session.out << plain(verdict) << std::endl;
    }
    code = exit_code_of(study, verdict);
  }
  if (!session.json) return code;
  JsonWriter json;
  json.begin_object().put("study", id);
  if (arguments.has("--wait")) {
    json.put("state", study.state).put("runs", study.runs).put("succeeded", study.succeeded);
    json.put("failed", study.failed);
  }
  json.put_if_any("verdict", verdict).end_object();
  session.out << json.text() << "\n";
  return code;
}

}  // namespace

CommandSpec start_command() {
  return {
      "start",
      "Ask a controller elsewhere to start a study",
      "Asks a `kneepoint serve` to start a study of a plan in its folder of plans, and prints the "
      "study's id: what a CronJob or a CI job calls. With --wait it follows the study to its end "
      "and exits as `run` would: 4 if a run failed, 130 if the study was cancelled. With --gate "
      "too, "
      "1 if the verdict on its series is REGRESSED.",
      {{"PLAN", "Name of the plan's file in the server's folder (serve --plans)"}},
      {{"--server", "URL", "Where the server is: https://host:port"},
       {"--token-file", "FILE", "File with the server's token", {}, false, Completes::files},
       {"--ca",
        "FILE",
        "Certificate to trust, PEM (default: the system's)",
        {},
        false,
        Completes::files},
       {"--site", "NAME", "Name of the site's file in the same folder"},
       {"--wait", "", "Follow the study to its end"},
       {"--gate", "", "With --wait: judge it against the nights before"}},
      {"kneepoint start nightly.yaml --site site.yaml --server https://kneepoint.example.org "
       "--token-file token --wait --gate"},
      start};
}

}  // namespace kneepoint::cli
