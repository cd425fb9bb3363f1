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
  JobRef job;
  bool handed_over = false;    // the launcher has answered for it in this sitting or an earlier one
  bool put_off = false;        // the launcher could not take it when we asked in this sitting
  Reason stop = Reason::none;  // why we want its end, if we do
  bool stop_taken = false;     // the launcher has taken that
};

struct RunState {
  RunRow row;
  int point = 0;  // index into Study::points
  int spent = 0;  // attempts that cost a try
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
  bool any_handed_over() const;

  // The newest attempt is over; the run is finished or waits again.
  void end_attempt(int index, AttemptState state, bool finished, bool again);

  // Seconds of finished attempts at a point: what its next run is expected to take (0: unknown).
  void note_elapsed(int point, double seconds);
  double expected_seconds(int point) const;

  int total() const { return static_cast<int>(runs_.size()); }
  int succeeded() const { return succeeded_; }
  int failed() const { return failed_; }

 private:
  std::vector<RunState> runs_;
  std::deque<int> waiting_;
  std::vector<int> active_;
  std::map<int, std::pair<double, int>> elapsed_;  // by point: sum, count
  int succeeded_ = 0, failed_ = 0;
};

}  // namespace kneepoint
