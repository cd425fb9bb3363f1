// SPDX-License-Identifier: Apache-2.0
//
// From a run to what the launcher is asked for. Pure; names are made here and nowhere else.
#pragma once

#include <string>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/model/plan.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

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
