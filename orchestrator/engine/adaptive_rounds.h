// SPDX-License-Identifier: Apache-2.0
//
// The rounds of an adaptive search: what every curve asks for next, as runs of the study, and in
// words. Pure: the same evidence gives the same round, so that a search that was killed goes on as
// it would have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/price.h"

namespace kneepoint {

struct SearchRound {
  std::vector<Run> runs;           // in the order in which they are to start; empty: it is over
  std::vector<std::string> words;  // why, for each curve that asks; of all curves when it is over
  std::string left_out;            // what the search does without so far: for every report
};

// Every run of the study is over. `evidence` has the points that were asked for so far.
// `price`: what a search for the recommendation by cost goes by; null: node-hours.
SearchRound search_round(const Study& study, const StudyEvidence& evidence, int number,
                         const PriceItem* price = nullptr);

// The search played by the workloads' models, without noise; none where a point has no model.
struct SearchForecast {
  int rounds = 0, runs = 0;
  double node_seconds = 0, grid_node_seconds = 0;
};
std::optional<SearchForecast> forecast(const Study& study, const PriceItem* price = nullptr);

}  // namespace kneepoint
