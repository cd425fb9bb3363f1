// SPDX-License-Identifier: Apache-2.0
//
// kneepoint list, status and watch: where studies stand. They only read, so they work while a study
// runs, and may be stopped at will.
#include <limits>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/study/status.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

Result<int> list(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const StudyList found, list_studies(session));
  if (session.json) {
    session.out << json_text(found) << "\n";
  } else if (arguments.has("--quiet")) {
    for (const StudyRow& study : found.studies) session.out << study.id << "\n";
  } else if (found.studies.empty()) {
    session.err << "no studies yet in " << found.database << "; 'kneepoint run PLAN' makes one\n";
  } else {
    session.out << to_text(found, session.clock.wall());
  }
  return kExitDone;
}

Result<int> status(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  TRY_ASSIGN(const StudyStatus found, read_status(*store, row, session.clock));
  // A pipe has no width: nothing is cut.
  const int width = session.out_is_terminal ? session.width() : std::numeric_limits<int>::max();
  session.out << (session.json ? json_text(found) + "\n" : plain_lines(to_text(found, width)));
  return kExitDone;
}

constexpr Nanoseconds kBetweenFrames = kSecond / 2;
constexpr int kLooksWithoutController = 6;  // a controller that starts just now gets this long

int exit_code_for(const StudyStatus& status) {
  if (!status.is_over()) return kExitInterrupted;
  return status.failed() > 0 || status.in(AttemptState::succeeded) == 0 ? kExitRunsFailed
                                                                        : kExitDone;
}

Result<int> watch(Session& session, const Arguments& arguments) {
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  Poller poller;
  TRY(poller.take_signals());
  LiveArea area(session.out, session.clock, terminal_height);
  const bool live = session.out_is_terminal && !session.json;
  std::string last;
  for (int unattended = 0;;) {
    TRY_ASSIGN(const StudyStatus status, read_status(*store, row, session.clock));
    if (live) {
      area.draw(plain_lines(to_text(status, session.width())));
    } else if (const std::string line = to_line(status); line != last) {
      session.out << (session.json ? json_text(status) : line) + "\n" << std::flush;
      last = line;
    }
    unattended = status.is_attended() ? 0 : unattended + 1;
    if (status.is_over() && !status.is_attended()) return exit_code_for(status);
    if (unattended > kLooksWithoutController) {
      session.err << "kneepoint: watch: nobody works on " << row.id
                  << "; go on with it: kneepoint run " << status.row.plan_path << "\n";
      return kExitInterrupted;
    }
    TRY_ASSIGN(const Poller::Woken woken, poller.wait(kBetweenFrames));
    if (!woken.signals.empty()) return kExitInterrupted;
  }
}

}  // namespace

CommandSpec list_command() {
  return {"list",
          "List the studies",
          "Lists the studies of the database, newest first, with their state, how many of their "
          "runs are done, and how many failed.",
          {},
          {{"--quiet", "", "Print the ids only"}},
          {"kneepoint list", "kneepoint list --json"},
          list};
}

CommandSpec status_command() {
  return {"status",
          "Show where a study stands",
          "Shows the runs of a study by state, its points, who works on it, and what happened "
          "last.",
          {study_or_newest()},
          {},
          {"kneepoint status", "kneepoint status quickstart --json"},
          status};
}

CommandSpec watch_command() {
  return {"watch",
          "Follow a study until it is over",
          "Shows the status of a study, drawn anew in place until the study is over; without a "
          "terminal, one line at each change (with --json, one object a line). Only reads: "
          "stopping it stops nothing else. Exits with 4 if runs failed, with 130 if nobody works "
          "on the study.",
          {study_or_newest()},
          {},
          {"kneepoint watch", "kneepoint watch jacobi-nightly"},
          watch};
}

}  // namespace kneepoint::cli
