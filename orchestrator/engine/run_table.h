// SPDX-License-Identifier: Apache-2.0
//
// RunTable: the engine's picture of a study's runs, rebuilt from the store on every start. Which
// wait, which are active, what each point has cost so far. It decides nothing.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

struct ActiveAttempt {
  AttemptRow row;
  int allocation = 0;  // key into RunTable::allocations()
};

// One grant of nodes that was asked for and is not over, and the runs that have a step in it.
struct ActiveAllocation {
  JobRef job;
  std::vector<int> members;    // runs whose step is not over, in the order of the steps
  int nodes = 1;               // of the largest step
  bool handed_over = false;    // the launcher has answered for it in this sitting or an earlier one
  bool put_off = false;        // the launcher could not take it when we asked in this sitting
  Reason stop = Reason::none;  // why we want its end, if we do
  bool stop_taken = false;     // the launcher has taken that
  Nanoseconds next_look = 0;   // at the steps inside, on Clock::steady()
  Nanoseconds longest = 0;     // it may run; 0: not settled yet
};

struct RunState {
  RunRow row;
  int point = 0;                 // index into Study::points
  int spent = 0;                 // attempts that cost a try
  int consecutive_failures = 0;  // allocations in a row that ended before any of their steps began
  std::optional<ActiveAttempt> active;
};

class RunTable {
 public:
  // `point_index` maps the store's point rows to the study's points; runs of other points (an
  // older, wider plan) are left alone.
  void load(const std::vector<RunRow>& rows, const std::map<RowId, int>& point_index,
            const std::string& directory);

  std::vector<RunState>& all() { return runs_; }
  RunState& at(int index) { return runs_[index]; }
  std::deque<int>& waiting() { return waiting_; }
  std::vector<int>& active() { return active_; }
  const std::vector<int>& active() const { return active_; }
  std::map<int, ActiveAllocation>& allocations() { return allocations_; }  // oldest first
  ActiveAllocation& allocation_of(int index) {
    return allocations_.at(runs_[index].active->allocation);
  }
  bool any_handed_over() const;

  // It is about to start.
  void leave_waiting(int index);
  // The allocation of this name; a new one when there is none.
  int allocation_named(const JobRef& job);
  // The run's newest attempt is a step of this allocation from now on.
  void join(int allocation, int index, const AttemptRow& attempt);

  // The newest attempt is over; the run is finished or waits again. An allocation without members
  // is forgotten.
  void end_attempt(int index, AttemptState state, bool finished, bool again);

  // Seconds of finished attempts at a point: what its next run is expected to take (0: unknown).
  void note_elapsed(int point, double seconds);
  double expected_seconds(int point) const;

  int total() const { return static_cast<int>(runs_.size()); }
  int succeeded() const { return succeeded_; }
  int failed() const { return failed_; }
  // Neither finished nor active nor waiting: left to another sitting.
  int left_open() const {
    return total() - succeeded_ - failed_ - static_cast<int>(active_.size() + waiting_.size());
  }

 private:
  std::vector<RunState> runs_;
  std::deque<int> waiting_;
  std::vector<int> active_;
  std::map<int, ActiveAllocation> allocations_;
  std::map<std::string, int> by_name_;
  int next_allocation_ = 1;
  std::map<int, std::pair<double, int>> elapsed_;  // by point: sum, count
  int succeeded_ = 0, failed_ = 0;
};

}  // namespace kneepoint
