// SPDX-License-Identifier: Apache-2.0
//
// Attempts that were submitting, queued, running or collecting when an earlier controller ended
// are active again; whether their jobs still exist is for the launcher to say.
#include "orchestrator/engine/run_table.h"

#include <algorithm>
#include <set>

#include "orchestrator/engine/retry.h"

namespace kneepoint {

void RunTable::load(const std::vector<RunRow>& rows, const std::map<RowId, int>& point_index,
                    const std::string& directory) {
  // Runs already known keep their state: later rounds only add.
  std::set<RowId> known;
  for (const RunState& run : runs_) known.insert(run.row.row);
  for (const RunRow& row : rows) {
    const auto point = point_index.find(row.point);
    if (point == point_index.end() || known.contains(row.row)) continue;
    const int index = static_cast<int>(runs_.size());
    RunState& run = runs_.emplace_back();
    run.row = row;
    run.point = point->second;
    run.spent = row.attempts - row.forgiven;
    if (row.finished) {
      ++(row.last && row.last->state == AttemptState::succeeded ? succeeded_ : failed_);
      continue;
    }
    if (row.last && !is_final(row.last->state)) {
      --run.spent;  // not over yet
      if (row.last->state != AttemptState::planned) {
        ActiveAttempt active;
        active.row = *row.last;
        active.job = {row.last->allocation, directory, row.last->job_id, row.last->submitted_ns};
        active.handed_over = row.last->state != AttemptState::submitting;
        run.active = active;
        active_.push_back(index);
        continue;
      }
    }
    waiting_.push_back(index);
  }
}

void RunTable::end_attempt(int index, AttemptState state, bool finished, bool again) {
  RunState& run = runs_[index];
  run.row.last = run.active->row;
  run.active.reset();
  active_.erase(std::find(active_.begin(), active_.end(), index));
  if (costs_a_try(state)) ++run.spent;
  if (finished) {
    run.row.finished = true;
    ++(state == AttemptState::succeeded ? succeeded_ : failed_);
  } else if (again) {
    waiting_.push_back(index);
  }
}

bool RunTable::any_handed_over() const {
  return std::any_of(active_.begin(), active_.end(),
                     [this](int index) { return runs_[index].active->handed_over; });
}

void RunTable::note_elapsed(int point, double seconds) {
  auto& [sum, count] = elapsed_[point];
  sum += seconds;
  ++count;
}

double RunTable::expected_seconds(int point) const {
  const auto found = elapsed_.find(point);
  return found == elapsed_.end() ? 0 : found->second.first / found->second.second;
}

}  // namespace kneepoint
