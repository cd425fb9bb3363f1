// SPDX-License-Identifier: Apache-2.0
//
// What `check` answers: what a plan would do on a site. Nothing is submitted and no database
// opened; the backend is asked what it would say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/answers/estimate.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/result.h"
#include "orchestrator/engine/rounds.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/matrix.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

struct CheckRequest {
  std::string plan, site;  // paths; site "": KNEEPOINT_SITE, else this machine
  PriceChoice prices;
  std::string emit_folder;  // new or empty: what would be submitted is written there; "": nowhere
};

// What the backend says to one shape.
struct Rehearsal {
  std::string what;   // "K=4 (4n x 1r x 1t)"
  std::string words;  // the backend's; "": it has none to say
  bool refused = false;
};

// What an adaptive search begins with.
struct FirstRound {
  std::vector<std::string> words;  // a sentence of each curve
  CostEstimate estimate;
};

struct CheckAnswer {
  Study study;
  Site site;
  SiteCapacity capacity;
  int concurrent = 1;
  std::vector<std::string> warnings = {};
  std::vector<std::string> refusals = {};  // points that `run` won't start here
  std::optional<StudyPrice> price = {};
  BudgetAnswer budget = {};
  std::optional<SearchForecast> search = {};  // adaptive, where all points have models
  std::vector<Rehearsal> rehearsals = {};
  std::string live_reports = {};  // what became of trying `push`, by who may listen; "": no `push`
  bool live_refused = false;      // `run` would refuse it
  std::string emit_folder = {};
  std::vector<std::string> emitted = {};  // file names
  std::vector<Problem> problems = {};     // of plan, site and price book; then there is no more

  bool shape_refused() const;
  // Would `run` refuse the plan, or the backend one of its shapes?
  bool is_refused() const { return shape_refused() || live_refused || !budget.refusals.empty(); }
  Submission submission() const;
  // Of every run that the plan may come to.
  CostEstimate estimate() const;
  FirstRound first_round() const;
};

Result<CheckAnswer> check_plan(const Context& context, const CheckRequest& request);

}  // namespace kneepoint
