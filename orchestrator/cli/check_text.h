// SPDX-License-Identifier: Apache-2.0
//
// The answer of `check` as a value, and how it is written. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/budget.h"
#include "orchestrator/engine/adaptive_rounds.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/site.h"
#include "orchestrator/plan/plan/matrix.h"

namespace kneepoint::cli {

// What the backend says to one shape.
struct Rehearsal {
  std::string what;   // "K=4 (4n x 1r x 1t)"
  std::string words;  // the backend's; "": it has none to say
  bool refused = false;
};

struct CheckAnswer {
  const Study& study;
  const Site& site;
  SiteCapacity capacity;
  int concurrent = 1;
  std::vector<std::string> warnings = {};
  std::vector<std::string> refusals = {};  // points that `run` won't start here
  std::optional<StudyPrice> price = {};
  BudgetAnswer budget = {};
  std::optional<SearchForecast> search = {};  // adaptive, where all points have models
  std::vector<Rehearsal> rehearsals = {};
  std::string live_reports = {};  // what became of trying `push`; "": the site has none
  bool live_refused = false;      // `run` would refuse it
  std::string emit_folder = {};
  std::vector<std::string> emitted = {};  // file names
};

// A sentence for each rehearsal that has words. What every shape is told alike is said once.
std::vector<std::string> sentences_of(const std::vector<Rehearsal>& rehearsals);

std::string to_text(const CheckAnswer& answer);
std::string to_json(const CheckAnswer& answer);  // one line, newline included

}  // namespace kneepoint::cli
