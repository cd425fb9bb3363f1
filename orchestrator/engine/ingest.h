// SPDX-License-Identifier: Apache-2.0
//
// Ingest: from the bytes that an agent left to the outcome of an attempt. Pure. Nothing that fails
// a check here ever becomes a time; what can be read is kept all the same.
#pragma once

#include <optional>
#include <string>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/model/point.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// How an attempt ends.
struct Ending {
  AttemptState state = AttemptState::invalid;
  Reason reason = Reason::none;
  std::string detail;
};

struct Ingested : Ending {
  int exit_code = 0;
  int signal = 0;
  Nanoseconds began_ns = 0;  // by the agent's clock; 0: it didn't say
  Nanoseconds ended_ns = 0;
  std::string nodes;  // of the step, by its agent; "": it didn't say
  AttemptResult result;
};

// What was collected of a step and what was pushed of it: the same records by two ways.
StepArtifacts with_pushed(StepArtifacts step, const std::string& pushed);

// For a step that has begun, and has ended or whose allocation has (`seen` says how the backend saw
// that).
Ingested ingest(const Point& point, const StepArtifacts& step, const Observation& seen,
                bool oversubscribed);

// What the records of a step say while others of its allocation are still to come.
// stopped: from outside; why, the end of its allocation tells.
enum class StepProgress { not_begun, running, ended, stopped };
StepProgress progress_of(const StepArtifacts& step);

// An allocation that ended for this before a step began says nothing of its runs: the site or the
// plan is wrong, and the next one would end the same way.
bool is_of_the_site(Reason reason);

constexpr int kMostConsecutiveFailures = 3;  // allocations in a row that end before a step begins
// For a step that never began although its allocation is gone: how the attempt ends, or nothing if
// it is handed over again, which costs no attempt. `consecutive_failures`: how often in a row that
// happened.
std::optional<Ending> end_without_begin(Reason stop, const Observation& seen, AttemptState state,
                                        int consecutive_failures);

// Where it was placed and what its queue says, into the attempt. True: something changed.
bool take_placement(const Observation& seen, AttemptRow& attempt);

// What we asked for ourselves (`stop`) decides the outcome, unless the run had ended well before.
void overrule(Reason stop, Ingested& outcome);

// A run that was ended at a limit that the budget made shorter than the plan's (`limit` > 0) did
// not take too long: it is cancelled, which costs no attempt.
void cut_by_budget(Nanoseconds limit, Nanoseconds timeout, Ingested& outcome);

}  // namespace kneepoint
