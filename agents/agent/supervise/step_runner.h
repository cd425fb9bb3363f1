// SPDX-License-Identifier: Apache-2.0
//
// Runs one step to its end: claims the run directory, starts the workload, watches over it,
// records. Whatever the workload does is an outcome in the records; an Error means that the agent
// could not do its own work (a full disk, say) and should stop.
#pragma once

#include "agents/agent/provenance/provenance.h"
#include "agents/agent/supervise/signals.h"
#include "agents/wire/allocation.h"

namespace kneepoint::agent {

enum class StepEnd {
  done,
  skipped,  // the run directory was there: somebody ran it, or is running it
  cancelled,
};

Result<StepEnd> run_step(const StepSpec& step, const Facts& node, Signals& signals);

}  // namespace kneepoint::agent
