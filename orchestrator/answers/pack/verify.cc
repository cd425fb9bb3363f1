// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/pack/verify.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "orchestrator/engine/rounds.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {
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

}  // namespace

std::vector<PackPart> PackVerdict::parts() const {
  std::vector<PackPart> all;
  if (!pack) return all;
  for (const TarMember& part : pack->parts) all.push_back({part.name, part.bytes.size()});
  return all;
}

bool is_database(const std::string& path) {
  constexpr char kMagic[] = "SQLite format 3";
  std::array<char, sizeof kMagic> first{};
  std::ifstream file(path, std::ios::binary);
  return file.read(first.data(), first.size()) && std::equal(first.begin(), first.end(), kMagic);
}

Result<DatabaseVerdict> verify_database(const std::string& path, const Clock& clock) {
  DatabaseVerdict verdict{path, {}};
  DatabaseFindings& found = verdict.found;
  TRY_ASSIGN(found, find_violations(path, clock.wall()));
  if (!verdict.holds()) return verdict;  // it may not even be readable as evidence
  found.rules.emplace_back("evidence");
  TRY_ASSIGN(const auto store, StudyStore::open(path, StudyStore::Access::read_only, clock));
  TRY_ASSIGN(const std::vector<StudyRow> studies, store->studies());
  for (const StudyRow& study : studies) TRY(check_rounds(*store, study, found));
  return verdict;
}

}  // namespace kneepoint
