// SPDX-License-Identifier: Apache-2.0
//
// The story of one run as a value, and how it is told. Reading is one function, writing is pure.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/logs.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

struct AttemptStory {
  AttemptRow row;
  std::vector<Sample> samples;
  std::vector<RankTotal> ranks;
  std::vector<Metric> metrics;
  std::vector<Fact> facts;
  AttemptProfile profile;
  PushedSoFar pushed;  // of an attempt that is not over
  std::string folder;
  bool folder_exists = false;
};

struct RunStory {
  FoundRun found;
  std::vector<AttemptStory> attempts;
  std::vector<Event> events;
};

Result<RunStory> read_story(StudyStore& store, const FoundRun& found);

std::string to_text(const RunStory& story);
std::string to_json(const RunStory& story);  // one line, newline included

// The MPI calls of an attempt; "" without a profile.
std::string profile_text(const AttemptProfile& profile);

// What became of an attempt, in a sentence: "failed (exit_code): the program exited with ...".
std::string outcome_sentence(const AttemptRow& attempt);

// An argument vector as it could be typed; quoted only where needed. For reading, never for a shell
// of ours.
std::string command_text(const std::vector<std::string>& argv);

}  // namespace kneepoint::cli
