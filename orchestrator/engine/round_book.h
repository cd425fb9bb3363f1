// SPDX-License-Identifier: Apache-2.0
//
// RoundBook: the points and rounds of a study as the store has them. A round is decided by pure
// functions (rounds.h) and stored with its runs and its reasons in one transaction; killed before
// that, the next controller decides the same.
#pragma once

#include <map>
#include <vector>

#include "orchestrator/engine/attempt_book.h"
#include "orchestrator/engine/rounds.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

class RoundBook {
 public:
  RoundBook(StudyStore& store, const StudyRow& row, const Study& study, AttemptBook& book,
            const PriceItem* price)
      : store_(store), row_(row), study_(study), book_(book), price_(price) {}

  // Round 0, and what an earlier controller has put; inside the caller's transaction.
  Result<void> begin();
  // The next round, put into the store. False: the study is complete.
  Result<bool> decide();

  const std::map<RowId, int>& point_index() const { return point_index_; }
  int last() const { return last_; }
  // What the last decision was, for who watches.
  const std::vector<std::string>& words() const { return words_; }

 private:
  Result<void> put_points(const std::vector<int>& points);
  Result<void> put(const Round& round);
  Result<void> tell(const std::string& opening, const std::vector<std::string>& words,
                    const std::string& left_out);

  StudyStore& store_;
  const StudyRow& row_;
  const Study& study_;
  AttemptBook& book_;
  const PriceItem* price_;  // null: none
  std::map<RowId, int> point_index_;
  std::map<int, RowId> point_rows_;  // of those that were asked for
  int last_ = 0;
  std::vector<std::string> words_;
};

}  // namespace kneepoint
