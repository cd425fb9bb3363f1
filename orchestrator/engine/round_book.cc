// SPDX-License-Identifier: Apache-2.0
//
// An adaptive search puts a point into the store when it first asks for it: what it never measured
// is in no report's tables, and the caveat says that it was left out.
#include "orchestrator/engine/round_book.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "orchestrator/engine/rounds.h"

namespace kneepoint {
namespace {

constexpr char kSearchCaveat[] = "adaptive_search";

}  // namespace

Result<void> RoundBook::put_points(const std::vector<int>& points) {
  std::vector<Point> fresh;
  std::vector<int> which;
  for (const int point : points) {
    if (point_rows_.contains(point)) continue;
    fresh.push_back(study_.points[point]);
    which.push_back(point);
  }
  TRY_ASSIGN(const std::vector<RowId> rows, store_.put_points(row_.row, fresh));
  for (std::size_t i = 0; i < which.size(); ++i) {
    point_rows_[which[i]] = rows[i];
    point_index_[rows[i]] = which[i];
  }
  return {};
}

Result<void> RoundBook::tell(const std::string& opening, const std::vector<std::string>& words,
                             const std::string& left_out) {
  words_.clear();
  for (const std::string& one : words) {
    words_.push_back(opening + one);
    TRY(book_.event("round", words_.back()));
  }
  if (left_out.empty()) return {};
  return store_.set_caveat(row_.row, {kSearchCaveat, left_out});
}

Result<void> RoundBook::put(const Round& round) {
  std::set<int> points;
  for (const Run& run : round.runs) points.insert(run.point);
  TRY(put_points({points.begin(), points.end()}));
  std::vector<PlannedRun> planned;
  planned.reserve(round.runs.size());
  for (std::size_t i = 0; i < round.runs.size(); ++i) {
    planned.push_back({point_rows_.at(round.runs[i].point), round.runs[i].repeat, round.number,
                       static_cast<int>(i)});
  }
  TRY(store_.put_runs(row_.row, planned));
  TRY(tell("round " + std::to_string(round.number) + ": ", round.words, round.left_out));
  return store_.put_round(row_.row, {round.number, round.evidence_hash});
}

Result<void> RoundBook::begin() {
  TRY_ASSIGN(const std::vector<RoundRow> rounds, store_.rounds(row_.row));
  for (const RoundRow& round : rounds) last_ = std::max(last_, round.round);
  std::vector<int> points;
  if (study_.plan.search.adaptive) {
    TRY_ASSIGN(const StudyEvidence evidence, store_.evidence(row_.row));
    std::set<std::string> known;
    for (const PointEvidence& point : evidence.points) known.insert(point.point.key());
    for (std::size_t i = 0; i < study_.points.size(); ++i) {
      if (known.contains(study_.points[i].key())) points.push_back(static_cast<int>(i));
    }
  } else {
    points.resize(study_.points.size());
    std::iota(points.begin(), points.end(), 0);
    if (!rounds.empty()) TRY(store_.set_caveat(row_.row, {kSearchCaveat, ""}));
  }
  TRY(put_points(points));
  Round first = first_of(study_);
  if (!rounds.empty()) {
    first.words.clear();  // told already
    first.left_out.clear();
  }
  return put(first);
}

Result<bool> RoundBook::decide() {
  TRY_ASSIGN(const StudyEvidence evidence, store_.evidence(row_.row));
  const auto round = next_round(study_, evidence, last_, price_);
  TRY_ASSIGN(auto transaction, store_.begin());
  if (round) {
    TRY(put(*round));
    last_ = round->number;
  } else if (study_.plan.search.adaptive) {
    const SearchRound over = search_round(study_, evidence, last_ + 1, price_);
    TRY(tell("search over: ", over.words, over.left_out));
  }
  TRY(transaction->commit());
  return round.has_value();
}

}  // namespace kneepoint
