// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/explain.h"

#include <filesystem>

#include "orchestrator/answers/study/logs.h"
#include "orchestrator/engine/requests.h"

namespace kneepoint {
namespace {

Result<AttemptStory> story_of(StudyStore& store, const FoundRun& found, const AttemptRow& row) {
  AttemptStory attempt{row};
  TRY_ASSIGN(attempt.samples, store.samples(row.row));
  TRY_ASSIGN(attempt.ranks, store.ranks(row.row));
  TRY_ASSIGN(attempt.metrics, store.metrics(row.row));
  TRY_ASSIGN(attempt.facts, store.facts(row.row));
  TRY_ASSIGN(AttemptProfile profile, store.profile(row.row));
  attempt.profile = {std::move(profile)};
  TRY_ASSIGN(const PushedSoFar pushed, store.pushed_so_far(row.row));
  attempt.pushed = {pushed};

  attempt.name = attempt_name(found.run.number, row.number);
  attempt.folder = found.study.work_dir + "/" + attempt.name;
  std::error_code ignored;
  attempt.folder_exists = std::filesystem::is_directory(attempt.folder, ignored);
  return attempt;
}

}  // namespace

std::string outcome_sentence(const AttemptRow& attempt) {
  std::string text = to_string(attempt.state);
  if (attempt.reason != Reason::none) {
    text += " (" + std::string(to_string(attempt.reason)) + "): " + sentence(attempt.reason);
  }
  if (attempt.signal > 0) {
    text += "; signal " + std::to_string(attempt.signal);
  } else if (attempt.exit_code != 0) {
    text += "; exit code " + std::to_string(attempt.exit_code);
  }
  if (!attempt.detail.empty() && attempt.detail != sentence(attempt.reason)) {
    text += "; " + attempt.detail;
  }
  return text;
}

std::vector<std::string> AttemptStory::kept_paths() const {
  std::vector<std::string> paths;
  for (const KeptFile& file : kept_files(facts)) paths.push_back(folder + "/kept/" + file.name);
  return paths;
}

std::vector<std::pair<std::string, std::string>> PointStory::environment() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const EnvironmentVariable& one : command.environment) {
    all.emplace_back(one.name, one.value);
  }
  return all;
}

Result<RunStory> explain(const Context& context, const std::string& run) {
  RunStory story;
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_only));
  TRY_ASSIGN(story.found, find_run(*store, run));
  const FoundRun& found = story.found;
  TRY_ASSIGN(const std::vector<AttemptRow> attempts, store->attempts(found.run.row));
  for (const AttemptRow& row : attempts) {
    if (found.attempt > 0 && row.number != found.attempt) continue;
    TRY_ASSIGN(AttemptStory attempt, story_of(*store, found, row));
    story.attempts.push_back(std::move(attempt));
  }
  TRY_ASSIGN(story.events, store->events(found.study.row, found.run.number));
  return story;
}

}  // namespace kneepoint
