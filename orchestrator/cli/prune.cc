// SPDX-License-Identifier: Apache-2.0
//
// kneepoint prune: old studies without their samples.
#include "orchestrator/answers/night/prune.h"

#include <iostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/commands.h"
#include "orchestrator/cli/shell/flags.h"

namespace kneepoint::cli {
namespace {

Result<void> confirm(Session& session, const std::string& what) {
  if (!session.in_is_terminal) {
    return Error{ErrorCode::invalid, "this would delete " + what +
                                         " for good; say --yes to do "
                                         "it, or --dry-run to see it"};
  }
  session.err << "Delete " << what << " for good? [y/N] " << std::flush;
  std::string reply;
  std::getline(std::cin, reply);
  if (reply == "y" || reply == "Y" || reply == "yes") return {};
  return Error{ErrorCode::invalid, "nothing was deleted"};
}

Result<int> prune(Session& session, const Arguments& arguments) {
  if (!arguments.has("--older-than")) {
    return Error{ErrorCode::invalid, "--older-than AGE is needed, as in --older-than 90d"};
  }
  TRY_ASSIGN(const Nanoseconds age, parse_age("--older-than", arguments.text("--older-than")));
  const bool dry = arguments.has("--dry-run");
  TRY_ASSIGN(const auto store, open_database(session, dry ? StudyStore::Access::read_only
                                                          : StudyStore::Access::read_write));
  TRY_ASSIGN(PruneAnswer old, find_old_studies(session, *store, arguments.text("NAME"), age));
  const std::string what = counted(static_cast<long>(old.samples()), "sample") + " of " +
                           counted(static_cast<long>(old.studies.size()), "study");
  if (!dry) {
    if (!old.studies.empty() && !arguments.has("--yes")) TRY(confirm(session, what));
    TRY(thin_out(session, *store, old));
  }
  if (session.json) {
    session.out << json_text(old) << "\n";
    return kExitDone;
  }
  for (const OldStudy& one : old.studies) {
    session.out << one.row.id << ": " << counted(static_cast<long>(one.samples), "sample") << "\n";
  }
  session.out << (dry ? "would delete " : "deleted ") << what;
  if (!dry) {
    session.out << "; the database has "
                << number_text(static_cast<double>(old.database_bytes) / 1048576.0) << " MiB now";
  }
  session.out << "\n";
  return kExitDone;
}

}  // namespace

CommandSpec prune_command() {
  return {
      "prune",
      "Thin out old studies, and shrink the database",
      "Deletes the samples (single iterations) of studies that are over and older than AGE. T of "
      "every run, its parts, ranks, metrics, provenance and events stay: results, gate verdicts "
      "and the history of a series are the same before and after; only tables of single "
      "iterations are gone, and reports say so. Then gives the room back to the disk. To keep "
      "everything elsewhere, write it into a file first: 'kneepoint export --series'.",
      {{"NAME", "Only studies of this name or series (default: all)", false}},
      {{"--older-than", "AGE", "How long ago a study last changed: 36h, 90d, 12w"},
       {"--dry-run", "", "Say what would go; delete nothing"},
       {"--yes", "", "Don't ask"}},
      {"kneepoint prune --older-than 90d --dry-run",
       "kneepoint prune nightly --older-than 12w --yes"},
      prune};
}

}  // namespace kneepoint::cli
