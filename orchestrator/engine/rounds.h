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
  std::vector<Run> runs;           // in the order in which they are to start
  std::string evidence_hash;       // "" for round 0
  std::vector<std::string> words;  // why these
  std::string left_out;  // adaptive search: what it does without so far; "": nothing is left out
};

// Round 0 is the matrix: every point × repeat.min, interleaved; of an adaptive search, a few K.
Round first_of(const Study& study);

// Adaptive search: as adaptive_rounds.h has it. With repeat.until: more runs (up to 7, 10,
// 14, 20... a point, at most repeat.max) where the interval of the efficiency is still too wide,
// and at the baseline those efficiencies divide by. Nothing: the study is complete. `evidence` has
// the study's points (matched by key).
// `price`: what a search for the recommendation goes by; null: node-hours.
std::optional<Round> next_round(const Study& study, const StudyEvidence& evidence, int last_round,
                                const PriceItem* price = nullptr);

// Of everything that a decision may rest on: points, repeats, outcomes and times.
std::string evidence_hash(const StudyEvidence& evidence);

}  // namespace kneepoint
