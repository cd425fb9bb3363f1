// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/verify_database.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/engine/rounds.h"
#include "orchestrator/report/text.h"
#include "orchestrator/store/invariants.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {
namespace {

// What was there when a round was decided: the runs with smaller numbers than its own.
StudyEvidence evidence_before(const StudyEvidence& evidence, int first_number) {
  StudyEvidence before;
  for (const PointEvidence& point : evidence.points) {
    PointEvidence kept;
    kept.point = point.point;
    for (const RunEvidence& run : point.runs) {
      if (run.number < first_number) kept.runs.push_back(run);
    }
    if (!kept.runs.empty()) before.points.push_back(std::move(kept));
  }
  return before;
}

// Runs that were opened again have changed, rightly, what later rounds had rested on.
Result<bool> was_reopened(StudyStore& store, RowId study) {
  TRY_ASSIGN(const std::vector<Event> events, store.events(study, 0));
  return std::any_of(events.begin(), events.end(),
                     [](const Event& event) { return event.kind == "reopen"; });
}

Result<void> check_rounds(StudyStore& store, const StudyRow& study, DatabaseFindings& found) {
  TRY_ASSIGN(const std::vector<RoundRow> rounds, store.rounds(study.row));
  if (rounds.size() < 2) return {};
  TRY_ASSIGN(const bool reopened, was_reopened(store, study.row));
  if (reopened) return {};
  TRY_ASSIGN(const std::vector<RunRow> runs, store.runs(study.row));
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence(study.row));
  std::map<int, int> first;  // by round: the smallest number of its runs
  for (const RunRow& run : runs) {
    const auto [at, is_new] = first.try_emplace(run.round, run.number);
    if (!is_new) at->second = std::min(at->second, run.number);
  }
  for (const RoundRow& round : rounds) {
    if (round.round == 0 || !first.contains(round.round)) continue;
    const StudyEvidence before = evidence_before(evidence, first.at(round.round));
    if (evidence_hash(before) == round.evidence_hash) continue;
    found.violations.push_back(
        {"evidence", study.id + ": round " + std::to_string(round.round) +
                         " was decided on other runs, outcomes or times than are stored"});
  }
  return {};
}

std::string json_of(const std::string& path, const DatabaseFindings& found) {
  JsonWriter json;
  json.begin_object().put("file", path).put("valid", found.violations.empty());
  json.put("schema", found.schema).put("studies", found.studies).put("runs", found.runs);
  json.put("attempts", found.attempts).put("samples", found.samples).put("rules", found.rules);
  json.key("violations").begin_array();
  for (const Violation& one : found.violations) {
    json.begin_object().put("rule", one.rule).put("what", one.what).end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

std::string text_of(const std::string& path, const DatabaseFindings& found) {
  const auto count = [](auto number, const char* one) {
    return counted(static_cast<long>(number), one);
  };
  return plain(path) + " holds: " + std::to_string(found.studies) +
         (found.studies == 1 ? " study, " : " studies, ") + count(found.runs, "run") + ", " +
         count(found.attempts, "attempt") + " and " + count(found.samples, "sample") +
         " keep all " + count(found.rules.size(), "rule") + "\n";
}

}  // namespace

bool is_database(const std::string& path) {
  constexpr char kMagic[] = "SQLite format 3";
  std::array<char, sizeof kMagic> first{};
  std::ifstream file(path, std::ios::binary);
  return file.read(first.data(), first.size()) && std::equal(first.begin(), first.end(), kMagic);
}

Result<int> verify_database(Session& session, const std::string& path) {
  TRY_ASSIGN(DatabaseFindings found, find_violations(path, session.clock.wall()));
  if (found.violations.empty()) {  // else it may not even be readable as evidence
    found.rules.emplace_back("evidence");
    TRY_ASSIGN(const auto store,
               StudyStore::open(path, StudyStore::Access::read_only, session.clock));
    TRY_ASSIGN(const std::vector<StudyRow> studies, store->studies());
    for (const StudyRow& study : studies) TRY(check_rounds(*store, study, found));
  }
  if (session.json) session.out << json_of(path, found);
  if (found.violations.empty()) {
    if (!session.json) session.out << text_of(path, found);
    return kExitDone;
  }
  session.err << "kneepoint: verify: " << plain(path) << " does not hold\n";
  for (const Violation& one : found.violations) {
    session.err << wrap(one.rule + ": " + plain(one.what), 100, 2);
  }
  return kExitNegative;
}

}  // namespace kneepoint::cli
