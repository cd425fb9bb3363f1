// SPDX-License-Identifier: Apache-2.0
//
// Rounds: which runs come next. Pure. A round is decided only when the one before is complete, and
// is stored with a hash of the evidence it rests on: crashes and the order of arrival change
// nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"
#include "orchestrator/model/point.h"
#include "orchestrator/model/price.h"

namespace kneepoint {

struct Round {
  int number = 0;
  std::vector<Run> runs;             // in the order in which they are to start
  std::string evidence_hash;         // "" for round 0
  std::vector<std::string> reasons;  // why these
  std::string left_out;  // adaptive search: what it does without so far; "": nothing is left out
};

// A round of an adaptive search: what every curve asks for next, and why; of all curves when the
// search is over, which is when there are no runs. The same evidence gives the same round, so that
// a search that was killed goes on as it would have. Every run of the study is over; `evidence` has
// the points that were asked for so far.
// `price`: what a search for the recommendation by cost goes by; null: node-hours.
Round search_round(const Study& study, const StudyEvidence& evidence, int number,
                   const PriceItem* price = nullptr);

// The search played by the workloads' models, without noise; none where a point has no model.
struct SearchForecast {
  int rounds = 0, runs = 0;
  double node_seconds = 0, grid_node_seconds = 0;
};
std::optional<SearchForecast> forecast(const Study& study, const PriceItem* price = nullptr);

// Round 0 is the matrix: every point × repeat.min, interleaved; of an adaptive search, a few K.
Round first_of(const Study& study);

// Adaptive search: as search_round() has it. With repeat.until: more runs (up to 7, 10,
// 14, 20... a point, at most repeat.max) where the interval of the efficiency is still too wide,
// and at the baseline those efficiencies divide by. Nothing: the study is complete. `evidence` has
// the study's points (matched by key).
// `price`: what a search for the recommendation goes by; null: node-hours.
std::optional<Round> next_round(const Study& study, const StudyEvidence& evidence, int last_round,
                                const PriceItem* price = nullptr);

// Of everything that a decision may rest on: points, repeats, outcomes and times.
std::string evidence_hash(const StudyEvidence& evidence);

}  // namespace kneepoint
