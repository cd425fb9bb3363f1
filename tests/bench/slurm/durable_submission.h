// SPDX-License-Identifier: Apache-2.0
//
// What a controller does to hand runs over, as the engine does it: the intent of every run in one
// transaction of a real database file, the launcher, the answers in another one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orchestrator/backend/launcher.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

class DurableSubmission {
 public:
  DurableSubmission(const std::string& folder, int runs);

  // Seconds that it takes to hand `requests` over; each step is one run of the study, of which no
  // one has an attempt yet in this round. The ids of the jobs go to `ids`.
  double hand_over(Launcher& launcher, const std::vector<AllocationRequest>& requests,
                   std::vector<JobRef>& jobs);

 private:
  std::unique_ptr<StudyStore> store_;
  std::vector<RunRow> runs_;
  int round_ = 0;  // attempts are numbered by it
};

// The middle one of an odd number.
double median(std::vector<double> values);

}  // namespace kneepoint
