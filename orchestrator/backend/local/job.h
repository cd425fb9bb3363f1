// SPDX-License-Identifier: Apache-2.0
//
// A local allocation as its launcher knows it, and what its files and processes say of it.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/backend/local/files.h"

namespace kneepoint {

struct LocalJob {
  JobRef ref;
  std::string path;  // the allocation file
  std::vector<KnownStep> steps;
  std::vector<int> cpus;  // one of each core it was given
  ProcessIdentity agent;
  bool adopted = false;     // started by an earlier controller
  Nanoseconds started = 0;  // by us, on the steady clock
  Nanoseconds ended = 0;    // 0: not that we know
};

bool has_begun(const LocalJob& job);

// Does an agent run it? Another one than we know may have come first to the lock: it is taken over
// into the job.
bool find_life(LocalJob& job);

// The time as the job sees it: its submission by the wall clock, what follows by the steady one, so
// that setting the clock neither lengthens a run nor ends it.
Nanoseconds time_of(const LocalJob& job, const Clock& clock);

Observation never_heard_of(const JobRef& ref, const std::string& path, const Clock& clock);

// The machine's trouble, not the request's: what was asked for may go well later.
Error trouble_here(Error error);

// When the last of its records was written, on the wall clock; `otherwise` if there is none.
Nanoseconds last_record(const LocalJob& job, Nanoseconds otherwise);

Result<Artifacts> artifacts_of(const LocalJob& job);

}  // namespace kneepoint
