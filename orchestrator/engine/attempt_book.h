// SPDX-License-Identifier: Apache-2.0
//
// AttemptBook: writes down what becomes of attempts: the store, the run table and whoever watches
// learn it together. It asks no launcher; the caller holds the transaction.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/engine/ingest.h"
#include "orchestrator/engine/progress.h"
#include "orchestrator/engine/run_table.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

class AttemptBook {
 public:
  AttemptBook(StudyStore& store, const StudyRow& row, const Study& study, const Clock& clock,
              const Capabilities& backend, RunTable& table, ProgressBook& progress)
      : store_(store),
        row_(row),
        study_(study),
        clock_(clock),
        backend_(backend),
        table_(table),
        progress_(progress) {}

  Result<void> event(const std::string& kind, const std::string& text);
  Result<void> event_of(int index, const std::string& kind, const std::string& text);
  Result<void> change(AttemptRow& attempt, AttemptState to);

  // These runs are about to be submitted as the steps of one allocation, in this order. The
  // allocation is named after its first step, whose name was never used before. `limits`: of each.
  Result<void> intend(const std::vector<int>& runs, const std::vector<Nanoseconds>& limits);
  // The launcher has taken their allocation.
  Result<void> handed_over(ActiveAllocation& allocation, const JobRef& job);

  // Of what its allocation left behind and what was pushed, the part of this run; a step that never
  // began if there is none.
  Result<StepArtifacts> step_of(int index, const Artifacts& artifacts) const;
  // Records may have been pushed: they count beside what was collected.
  void expect_pushes() { has_pushes_ = true; }
  // Where the backend placed the allocation, or what its queue says of it.
  Result<void> note_placement(const ActiveAllocation& allocation, const Observation& seen);

  // A step that has begun, and whose end or whose allocation's end has been seen. `alone`: the
  // allocation was for it only, and its times are the allocation's.
  Result<void> ended(int index, const StepArtifacts& step, const Observation& seen, bool alone);
  // The allocation is over and the step was never claimed: it costs no attempt. `any_ran`: others
  // of the allocation were, so that it will get its turn in another.
  Result<void> never_began(int index, const Observation& seen, bool any_ran);
  // The same, but the site is wrong and not the run, which stays open.
  Result<void> left_open(int index, const Observation& seen);
  // The backend does not take it. A name that is taken costs no attempt either.
  Result<void> refused(int index, const Error& error);
  Result<void> conclude(int index, AttemptState state, Reason reason, const std::string& detail,
                        double seconds);

 private:
  Result<void> hand_back(int index, const std::string& why);

  StudyStore& store_;
  const StudyRow& row_;
  const Study& study_;
  const Clock& clock_;
  const Capabilities& backend_;
  RunTable& table_;
  ProgressBook& progress_;
  bool has_pushes_ = false;
};

}  // namespace kneepoint
