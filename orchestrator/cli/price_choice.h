// SPDX-License-Identifier: Apache-2.0
//
// Prices of several studies at once. A flag that takes one for each study takes a list with commas,
// or one for all; without flags each study goes by its own.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/cli/prices.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint::cli {

struct StudyPrices {
  std::vector<Prices> prices;     // one for each study
  std::vector<Problem> problems;  // of the books
  bool known = false;             // false: node-hours stand for money
};

// `files` and `items` as typed: "" or one, or one for each study, with commas. `own`: what the
// sites of the studies named; used where no file is given and all of them named one.
Result<StudyPrices> prices_of_studies(const std::string& files, const std::string& items,
                                      const std::vector<SitePrice>& own);

}  // namespace kneepoint::cli
