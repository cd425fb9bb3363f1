// SPDX-License-Identifier: Apache-2.0
//
// The nights that a study is tested against, read from the newest back and no further than the rule
// needs. What doesn't count is said in a sentence each; nothing is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct NightsRead {
  std::vector<GateNight> nights;      // of the segment, oldest first, tonight last
  std::optional<GateNight> baseline;  // that tonight may be held against
  std::string changed;                // of the environment, since the night before; "": nothing
  int other_environment = 0;          // earlier nights left out for it
  int imported = 0;                   // of the nights
  std::vector<std::string> notes;     // sentences
};

Result<NightsRead> read_nights(StudyStore& store, const StudyRow& tonight,
                               const StudyEvidence& evidence,
                               const std::optional<Baseline>& baseline);

// "one-1a2b3c4d": the series of a study.
std::string series_of(const StudyRow& study);

// What the times and numbers of a series' studies (by n) say of them: clocks set back, numbers
// without a study, nights that are missing, studies that share one.
std::vector<std::string> calendar_notes(const std::vector<SeriesStudy>& studies);

}  // namespace kneepoint::cli
