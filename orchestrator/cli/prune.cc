// SPDX-License-Identifier: Apache-2.0
//
// kneepoint prune: old studies without their samples. Nothing that an answer rests on goes: T of
// every run, its parts, ranks, metrics and provenance stay, so reports and verdicts are the same.
#include <iostream>

#include "orchestrator/answers/lease.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/flags.h"

namespace kneepoint::cli {
namespace {

struct OldStudy {
  StudyRow row;
  std::int64_t samples = 0;
};

// Studies that are over and that nobody touched since then, oldest first.
Result<std::vector<OldStudy>> old_studies(StudyStore& store, const std::string& name,
                                          Nanoseconds before) {
  std::vector<OldStudy> found;
  bool known = name.empty();
  TRY_ASSIGN(const std::vector<StudyRow> all, store.studies());
  for (auto row = all.rbegin(); row != all.rend(); ++row) {
    if (!name.empty() && row->name != name && row->name + "-" + row->hash8 != name) continue;
    known = true;
    if (row->state != "finished" && row->state != "cancelled") continue;
    if (row->updated_ns > before) continue;
    TRY_ASSIGN(const std::int64_t samples, store.sample_count(row->row));
    if (samples > 0) found.push_back({*row, samples});
  }
  if (!known) {
    return Error{ErrorCode::not_found, "there is no study or series of the name '" + name + "'"};
  }
  return found;
}

Result<void> thin(Session& session, StudyStore& store, const OldStudy& old) {
  TRY_ASSIGN(const HeldLease lease, HeldLease::take(store, old.row, session.clock));
  TRY_ASSIGN(auto transaction, store.begin());
  TRY(store.drop_samples(old.row.row));
  const Nanoseconds now = session.clock.wall();
  TRY(store.set_caveat(
      old.row.row,
      {"thinned", "Its " + std::to_string(old.samples) + " samples were thinned out on " +
                      to_utc_text(now).substr(0, 10) +
                      ": T of every run is as it was, single iterations are "
                      "gone."}));
  return transaction->commit();
}

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

std::string answer_json(const std::vector<OldStudy>& old, bool dry, std::int64_t bytes) {
  JsonWriter json;
  json.begin_object().put("dry_run", dry).key("studies").begin_array();
  for (const OldStudy& one : old) {
    json.begin_object().put("study", one.row.id).put("samples", one.samples).end_object();
  }
  json.end_array().put_or_null("database_bytes", bytes);
  return json.end_object().text() + "\n";
}

Result<int> prune(Session& session, const Arguments& arguments) {
  if (!arguments.has("--older-than")) {
    return Error{ErrorCode::invalid, "--older-than AGE is needed, as in --older-than 90d"};
  }
  TRY_ASSIGN(const Nanoseconds age, parse_age("--older-than", arguments.text("--older-than")));
  const bool dry = arguments.has("--dry-run");
  TRY_ASSIGN(const auto store, open_database(session, dry ? StudyStore::Access::read_only
                                                          : StudyStore::Access::read_write));
  TRY_ASSIGN(const auto old,
             old_studies(*store, arguments.text("NAME"), session.clock.wall() - age));
  std::int64_t samples = 0, bytes = 0;
  for (const OldStudy& one : old) samples += one.samples;
  const std::string what = counted(static_cast<long>(samples), "sample") + " of " +
                           counted(static_cast<long>(old.size()), "study");
  if (!dry) {
    if (!old.empty() && !arguments.has("--yes")) TRY(confirm(session, what));
    for (const OldStudy& one : old) TRY(thin(session, *store, one));
    auto compacted = store->compact();
    if (!compacted) {
      return compacted.error().in(
          "the samples are gone, but their room is not free yet: run "
          "prune again while nobody writes");
    }
    bytes = *compacted;
  }
  if (session.json) {
    session.out << answer_json(old, dry, bytes);
    return kExitDone;
  }
  for (const OldStudy& one : old) {
    session.out << one.row.id << ": " << counted(static_cast<long>(one.samples), "sample") << "\n";
  }
  session.out << (dry ? "would delete " : "deleted ") << what;
  if (!dry) session.out << "; the database has " << number_text(bytes / 1048576.0) << " MiB now";
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
