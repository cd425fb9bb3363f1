// SPDX-License-Identifier: Apache-2.0
//
// What an agent does with an allocation: runs its steps in turn, each to its end. Whatever a
// workload does is an outcome in the records; an Error means that the agent could not do its own
// work (a full disk, say) and should stop.
#pragma once

#include "agents/agent/provenance/provenance.h"
#include "agents/wire/allocation.h"

namespace kneepoint::agent {

constexpr int kExitDone = 0;      // whatever became of the workloads: outcomes are in the records
constexpr int kExitUsage = 2;     // wrong arguments, or an allocation file that can't be read
constexpr int kExitIo = 74;       // the agent could not do its own work; the message says why
constexpr int kExitAlready = 75;  // another agent has this allocation

enum class StepEnd {
  done,
  skipped,  // the run directory was there: somebody ran it, or is running it
  cancelled,
};

// Claims the run directory, starts the workload, watches over it, records.
Result<StepEnd> run_step(const StepSpec& step, const Facts& node, Signals& signals);

}  // namespace kneepoint::agent
