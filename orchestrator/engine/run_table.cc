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
      const bool timed = row.last && row.last->state == AttemptState::succeeded &&
                         row.last->started_ns > 0 && row.last->ended_ns > row.last->started_ns;
      if (timed) note_elapsed(run.point, to_seconds(row.last->ended_ns - row.last->started_ns));
      ++(row.last && row.last->state == AttemptState::succeeded ? succeeded_ : failed_);
      continue;
    }
    if (row.last && !is_final(row.last->state)) {
      --run.spent;  // not over yet
      run.consecutive_failures = row.last->submissions;
      if (row.last->state != AttemptState::planned) {
        const int id = allocation_named(
            {row.last->allocation, directory, row.last->job_id, row.last->submitted_ns});
        // Its steps are handed over together, so that one tells for all.
        allocations_[id].handed_over = row.last->state != AttemptState::submitting;
        join(id, index, *row.last);
        continue;
      }
    }
    waiting_.push_back(index);
  }
}

int RunTable::allocation_named(const JobRef& job) {
  const auto [found, is_new] = by_name_.try_emplace(job.name, next_allocation_);
  if (is_new) allocations_[next_allocation_++].job = job;
  return found->second;
}

void RunTable::leave_waiting(int index) {
  // Nearly always the first.
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), index));
}

void RunTable::join(int allocation, int index, const AttemptRow& attempt) {
  runs_[index].active = ActiveAttempt{attempt, allocation};
  active_.push_back(index);
  allocations_.at(allocation).members.push_back(index);
}

void RunTable::end_attempt(int index, AttemptState state, bool finished, bool again) {
  RunState& run = runs_[index];
  const auto allocation = allocations_.find(run.active->allocation);
  std::erase(allocation->second.members, index);
  if (allocation->second.members.empty()) {
    by_name_.erase(allocation->second.job.name);
    allocations_.erase(allocation);
  }
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
  return std::any_of(allocations_.begin(), allocations_.end(),
                     [](const auto& entry) { return entry.second.handed_over; });
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
