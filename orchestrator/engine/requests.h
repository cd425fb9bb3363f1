// SPDX-License-Identifier: Apache-2.0
//
// From a run to what the launcher is asked for. Pure; names are made here and nowhere else.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// Packing: which of the waiting runs share an allocation. Pure. Runs keep their order, so that what
// interleaving spreads over time stays spread; a step never has less time than its own limit, so
// that no run is cut short by the ones before it.
struct PackItem {
  int nodes = 1;
  Nanoseconds limit = 0;   // of the run
  bool with_next = false;  // the two builds of a pair: no allocation ends between them
};

// What an allocation needs for one step besides the run's limit: starting it and ending it.
constexpr Nanoseconds kStepMargin = 15 * kSecond;

// The batches, as indices into `waiting`. `places` is how many allocations may start now: the runs
// are spread over them evenly. A run of more than `most_nodes` nodes (0: not known) would have the
// whole allocation refused and goes alone. With one_per_run every run does.
std::vector<std::vector<int>> pack(const std::vector<PackItem>& waiting, const Packing& packing,
                                   int places, int most_nodes);

// The longest that an allocation may take: what the engine ends it after.
Nanoseconds longest_allocation(const Packing& packing, Nanoseconds timeout);

// How many allocations at once are wished for, for ceilings_of(): `asked` is the flag, 0: none.
int wished_concurrent(const Packing& packing, const Limits& plan, int asked);

// "r17-a2": the run's folder, and the step's name within the study.
std::string attempt_name(int run_number, int attempt_number);

// kp-<hash8>-<n>-<run>-a<attempt>, and -s<submission> when a step that never began is handed over
// once more. At most 40 characters.
std::string allocation_name(const std::string& hash8, int n, int run_number, int attempt_number,
                            int submissions);

struct RunIdentity {
  std::string hash8;
  int n = 1;              // of the study in its series
  std::string directory;  // <work_dir>/<study>
  int run_number = 0;
  int repeat = 0;
  int attempt_number = 1;
  int submissions = 1;
};

RunIdentity identity_of(const StudyRow& study, const RunRow& run, const AttemptRow& attempt);

// Where a study has its copy of an input: named after the content, so that all runs share it.
std::string staged_path(const std::string& directory, const InputFile& file);

// What one run asks for, as a step of an allocation.
Step step_for(const Point& point, const Plan& plan, const Site& site, const RunIdentity& identity,
              bool oversubscribed);

// An allocation that holds all of these steps, one after the other, each with the time its own
// limit allows: as many nodes as the largest has, each as wide as the widest needs.
AllocationRequest allocation_for(const std::string& name, const std::string& directory,
                                 std::vector<Step> steps);

// One job per run: an allocation of one step.
AllocationRequest request_for(const Point& point, const Plan& plan, const Site& site,
                              const RunIdentity& identity, bool oversubscribed);

}  // namespace kneepoint
