// SPDX-License-Identifier: Apache-2.0
//
// The story of a run in JSON; keys are listed in docs/reference/cli.md.
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/explain_text.h"

namespace kneepoint::cli {
namespace {

void write_point(JsonWriter& json, const Point& point) {
  json.key("point").begin_object().put("key", point.key()).put("case", point.case_name);
  json.put("mode", point.mode).put("k", point.k).put("nodes", point.shape.nodes);
  json.put("ranks", point.shape.ranks).put("threads_per_rank", point.shape.threads_per_rank);
  json.put("size", when(point.has_size, point.size)).put("held_fixed", point.held_fixed);
  json.put("command", point.command.argv).key("environment").begin_object();
  for (const EnvironmentVariable& variable : point.command.environment) {
    json.put(variable.name, variable.value);
  }
  json.end_object().end_object();
}

void write_attempt(JsonWriter& json, const AttemptStory& story) {
  const AttemptRow& row = story.row;
  json.begin_object().put("number", row.number).put("state", row.state).put("reason", row.reason);
  json.put("detail", row.detail).put("sentence", outcome_sentence(row));
  json.put("allocation", row.allocation).put("job", row.job_id).put_if_any("nodes", row.nodes);
  json.put("submitted_ns", row.submitted_ns).put("started_ns", row.started_ns);
  json.put("ended_ns", row.ended_ns).put("exit_code", row.exit_code).put("signal", row.signal);
  json.put("folder", story.folder).put("folder_exists", story.folder_exists);
  if (story.pushed.records > 0) {
    json.key("pushed").begin_object().put("records", story.pushed.records);
    json.put("samples", story.pushed.samples).end_object();
  }
  json.put("samples", story.samples).put("metrics", story.metrics);
  std::vector<std::string> kept;
  for (const KeptFile& file : kept_files(story.facts)) {
    kept.push_back(story.folder + "/kept/" + file.name);
  }
  json.put_if_any("kept", kept).put("ranks", story.ranks);
  if (!story.profile.ranks.empty()) {
    json.key("mpi_profile").begin_object().put("ranks", story.profile.ranks);
    json.put("operations", story.profile.operations).end_object();
  }
  json.put("provenance", story.facts).end_object();
}

}  // namespace

std::string to_json(const RunStory& story) {
  const RunRow& run = story.found.run;
  JsonWriter json;
  json.begin_object().put("study", story.found.study.id).put("run", run.number);
  json.put("repeat", run.repeat).put("round", run.round).put("finished", run.finished);
  write_point(json, story.found.point);
  json.key("attempts").begin_array();
  for (const AttemptStory& attempt : story.attempts) write_attempt(json, attempt);
  json.end_array().put("events", story.events);
  return json.end_object().text() + "\n";
}

}  // namespace kneepoint::cli
