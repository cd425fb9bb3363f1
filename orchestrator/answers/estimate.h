// SPDX-License-Identifier: Apache-2.0
//
// What a study would cost before anything has run, and whether that fits its budget. Pure. Points
// with a model are estimated by it; for the others only a bound is known (every run takes its whole
// time limit), and the two are never added without saying so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/cost/billing.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"

namespace kneepoint {

struct CostEstimate {
  int modelled_runs = 0;
  int bounded_runs = 0;  // without a model
  double modelled_node_hours = 0;
  double bounded_node_hours = 0;                       // at most
  double seconds_in_turn = 0;                          // all modelled runs, one after the other
  std::optional<Money> modelled_money, bounded_money;  // where there is a price
};

// `repeats` of every point up to `largest_k` (0: of all), or these runs. With a price each run is
// billed as a job of its own.
CostEstimate estimate_cost(const Study& study, int repeats,
                           const std::optional<StudyPrice>& price = std::nullopt,
                           int largest_k = 0);
CostEstimate estimate_runs(const Study& study, const std::vector<Run>& runs,
                           const std::optional<StudyPrice>& price = std::nullopt);

// "0.25 node-hours, 0.63 USD by the workloads' models", "at most 3.3 node-hours (no model: 10 runs
// at ...)".
std::string to_text(const CostEstimate& estimate, Nanoseconds timeout);

// What `run` would hand over, if nothing fails.
struct Submission {
  int runs = 0;                 // of round 0, also of an adaptive search
  int allocations = 0;          // one for each of them, or fewer that hold several
  int allocations_at_most = 0;  // with all the repeats that `until` may ask for
  Shape largest;
  bool largest_is_emulated = false;  // it takes no core
};
// `places`: allocations at once; `most_nodes`: of one allocation, 0: not known.
Submission submission_of(const Study& study, const Packing& packing = {}, int places = 1,
                         int most_nodes = 0);

// A plan is refused only when the workloads' models say that it can't fit its budget; what has no
// model may turn out to be cheaper than its time limit, and the engine stops it at the budget if
// not.
struct BudgetAnswer {
  std::string sentence;               // "at most 40 node-hours and 200.00 USD"; "": no budget
  std::vector<std::string> refusals;  // why the study can't be run, and what would fit
  std::vector<std::string> warnings;  // it may stop at its budget
};

// `overrun`: how much longer than a run its allocation may be held, for which the engine holds
// money back.
BudgetAnswer fit_budget(const Study& study, const SiteLimits& site,
                        const std::optional<StudyPrice>& price, Nanoseconds overrun = 0);

}  // namespace kneepoint
