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

struct Ingested {
  AttemptState state = AttemptState::invalid;
  Reason reason = Reason::none;
  std::string detail;
  int exit_code = 0;
  int signal = 0;
  AttemptResult result;
};

// For a step that has begun and whose allocation has ended (`seen` says how the backend saw it).
Ingested ingest(const Point& point, const StepArtifacts& step, const Observation& seen,
                bool oversubscribed);

// For a step that never began although its allocation is gone: how the attempt ends, or nothing if
// it is handed over again, which costs no attempt.
struct Ending {
  AttemptState state = AttemptState::lost;
  Reason reason = Reason::none;
  std::string detail;
};
std::optional<Ending> end_without_begin(Reason stop, const Observation& seen,
                                        const AttemptRow& attempt);

// Where it was placed and what its queue says, into the attempt. True: something changed.
bool take_placement(const Observation& seen, AttemptRow& attempt);

// What we asked for ourselves (`stop`) decides the outcome, unless the run had ended well before.
void overrule(Reason stop, Ingested& outcome);

}  // namespace kneepoint
