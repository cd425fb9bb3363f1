// SPDX-License-Identifier: Apache-2.0
//
// An adaptive search puts a point into the store when it first asks for it: what it never measured
// is in no report's tables, and the caveat says that it was left out.
#include <algorithm>
#include <numeric>
#include <set>

#include "orchestrator/engine/drive.h"

namespace kneepoint {
namespace {

constexpr char kSearchCaveat[] = "adaptive_search";

}  // namespace

Result<void> StoredRounds::put_points(const std::vector<int>& points) {
  std::vector<Point> fresh;
  std::vector<int> which;
  for (const int point : points) {
    if (point_rows_.contains(point)) continue;
    fresh.push_back(drive_.study.points[point]);
    which.push_back(point);
  }
  TRY_ASSIGN(const std::vector<RowId> rows, drive_.store.put_points(drive_.row.row, fresh));
  for (std::size_t i = 0; i < which.size(); ++i) {
    point_rows_[which[i]] = rows[i];
    point_index_[rows[i]] = which[i];
  }
  return {};
}

Result<void> StoredRounds::tell(const std::string& opening, const Round& round) {
  reasons_.clear();
  for (const std::string& one : round.reasons) {
    reasons_.push_back(opening + one);
    TRY(drive_.event("round", reasons_.back()));
  }
  if (round.left_out.empty()) return {};
  return drive_.store.set_caveat(drive_.row.row, {kSearchCaveat, round.left_out});
}

Result<void> StoredRounds::put(const Round& round) {
  std::set<int> points;
  for (const Run& run : round.runs) points.insert(run.point);
  TRY(put_points({points.begin(), points.end()}));
  std::vector<PlannedRun> planned;
  planned.reserve(round.runs.size());
  for (std::size_t i = 0; i < round.runs.size(); ++i) {
    planned.push_back({point_rows_.at(round.runs[i].point), round.runs[i].repeat, round.number,
                       static_cast<int>(i)});
  }
  TRY(drive_.store.put_runs(drive_.row.row, planned));
  TRY(tell("round " + std::to_string(round.number) + ": ", round));
  return drive_.store.put_round(drive_.row.row, {round.number, round.evidence_hash});
}

Result<void> StoredRounds::begin() {
  TRY_ASSIGN(const std::vector<RoundRow> rounds, drive_.store.rounds(drive_.row.row));
  for (const RoundRow& round : rounds) last_ = std::max(last_, round.round);
  std::vector<int> points;
  if (drive_.study.plan.search.adaptive) {
    TRY_ASSIGN(const StudyEvidence evidence, drive_.store.evidence(drive_.row.row));
    std::set<std::string> known;
    for (const PointEvidence& point : evidence.points) known.insert(point.point.key());
    for (std::size_t i = 0; i < drive_.study.points.size(); ++i) {
      if (known.contains(drive_.study.points[i].key())) points.push_back(static_cast<int>(i));
    }
  } else {
    points.resize(drive_.study.points.size());
    std::iota(points.begin(), points.end(), 0);
    if (!rounds.empty()) TRY(drive_.store.set_caveat(drive_.row.row, {kSearchCaveat, ""}));
  }
  TRY(put_points(points));
  Round first = first_of(drive_.study);
  if (!rounds.empty()) {
    first.reasons.clear();  // told already
    first.left_out.clear();
  }
  return put(first);
}

Result<bool> StoredRounds::decide() {
  TRY_ASSIGN(const StudyEvidence evidence, drive_.store.evidence(drive_.row.row));
  const auto round = next_round(drive_.study, evidence, last_, price_);
  TRY_ASSIGN(auto transaction, drive_.store.begin());
  if (round) {
    TRY(put(*round));
    last_ = round->number;
  } else if (drive_.study.plan.search.adaptive) {
    TRY(tell("search over: ", search_round(drive_.study, evidence, last_ + 1, price_)));
  }
  TRY(transaction->commit());
  return round.has_value();
}

}  // namespace kneepoint
