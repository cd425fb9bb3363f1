// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/study/explain.h"

#include <filesystem>

#include "orchestrator/base/files.h"
#include "orchestrator/engine/requests.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

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
  attempt.folder_exists = fs::is_directory(attempt.folder, ignored);
  return attempt;
}

// Why there is no such file, as far as the folder tells.
std::string why_missing(const FoundRun& found, const std::string& folder,
                        const std::string& stream) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return "the run printed nothing to " + stream;
  if (found.study.backend == "import") return "its time was imported from a table";
  if (found.study.backend == "simulated") return "the simulated backend runs no programs";
  if (found.run.last && !is_final(found.run.last->state)) {
    return std::string("the attempt is ") + to_string(found.run.last->state) +
           " and has not begun yet";
  }
  return "its folder " + folder + " is gone, or the run never began";
}

std::vector<std::string> paths_of_kept(const std::vector<Fact>& facts, const std::string& folder) {
  std::vector<std::string> paths;
  for (const KeptFile& file : kept_files(facts)) paths.push_back(folder + "/kept/" + file.name);
  return paths;
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
  return paths_of_kept(facts, folder);
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

std::vector<KeptFile> kept_files(const std::vector<Fact>& facts) {
  constexpr std::string_view kKept = "kept.";
  std::vector<KeptFile> files;
  for (const Fact& fact : facts) {
    if (fact.scope == "run" && fact.name.starts_with(kKept)) {
      files.push_back({fact.name.substr(kKept.size()), fact.value});
    }
  }
  return files;
}

std::string RunOutput::attempt_name() const {
  return kneepoint::attempt_name(run, attempt);
}

std::string RunOutput::missing_text() const {
  return "no " + stream + " of " + attempt_name() + ": " + missing_because;
}

Result<RunOutput> read_output(StudyStore& store, const FoundRun& found, int attempt,
                              const std::string& stream) {
  const std::string run = "r" + std::to_string(found.run.number) + " of " + found.study.id;
  if (attempt == 0) attempt = found.attempt;
  if (attempt == 0) attempt = found.run.attempts;
  if (found.run.attempts == 0) {
    return Error{ErrorCode::not_found, run + " has not been started yet: no attempt, no output"};
  }
  if (attempt > found.run.attempts) {
    return Error{ErrorCode::not_found, run + " has no attempt " + std::to_string(attempt) +
                                           "; it has " + std::to_string(found.run.attempts)};
  }
  RunOutput output{
      .study = found.study.id, .run = found.run.number, .attempt = attempt, .stream = stream};
  const std::string folder = found.study.work_dir + "/" + output.attempt_name();
  output.path = folder + "/" + stream + ".txt";
  std::error_code ignored;
  output.folder_exists = fs::is_directory(folder, ignored);
  if (fs::exists(output.path, ignored)) {
    TRY_ASSIGN(output.text, read_file("output", output.path));
  } else {
    output.missing_because = why_missing(found, folder, stream);
  }
  TRY_ASSIGN(const std::vector<AttemptRow> attempts, store.attempts(found.run.row));
  for (const AttemptRow& row : attempts) {
    if (row.number != attempt) continue;
    TRY_ASSIGN(const std::vector<Fact> facts, store.facts(row.row));
    output.kept = paths_of_kept(facts, folder);
  }
  return output;
}

}  // namespace kneepoint
