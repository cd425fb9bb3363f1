// SPDX-License-Identifier: Apache-2.0
//
// Ingest: from the bytes that an agent left to the outcome of an attempt. Pure. Nothing that fails
// a check here ever becomes a time; what can be read is kept all the same.
#pragma once

#include <string>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/model/point.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

struct Ingested {
  AttemptState state = AttemptState::invalid;
  Reason reason = Reason::none;
  std::string detail;
  int exit_code = 0;
  int signal = 0;
  Nanoseconds began_ns = 0;  // by the agent's clock; 0: it didn't say
  Nanoseconds ended_ns = 0;
  AttemptResult result;
};

// For a step that has begun, and has ended or whose allocation has (`seen` says how the backend saw
// that).
Ingested ingest(const Point& point, const StepArtifacts& step, const Observation& seen,
                bool oversubscribed);

// What the records of a step say while others of its allocation are still to come.
enum class StepProgress { not_begun, running, ended };
StepProgress progress_of(const StepArtifacts& step);

// What we asked for ourselves (`stop`) decides the outcome, unless the run had ended well before.
void overrule(Reason stop, Ingested& outcome);

}  // namespace kneepoint
