// SPDX-License-Identifier: Apache-2.0
//
// The story of a run in JSON; keys are listed in docs/reference/cli.md.
#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/event_json.h"
#include "orchestrator/cli/explain_text.h"

namespace kneepoint::cli {
namespace {

void write_point(JsonWriter& json, const Point& point) {
  json.begin_object();
  json.key("key").value(point.key());
  json.key("case").value(point.case_name);
  json.key("mode").value(to_string(point.mode));
  json.key("k").value(point.k);
  json.key("nodes").value(point.shape.nodes);
  json.key("ranks").value(point.shape.ranks);
  json.key("threads_per_rank").value(point.shape.threads_per_rank);
  json.key("size");
  point.has_size ? json.value(point.size) : json.null();
  json.key("held_fixed").value(point.held_fixed);
  json.key("command").begin_array();
  for (const std::string& word : point.command.argv) json.value(word);
  json.end_array();
  json.key("environment").begin_object();
  for (const EnvironmentVariable& variable : point.command.environment) {
    json.key(variable.name).value(variable.value);
  }
  json.end_object();
  json.end_object();
}

void write_attempt(JsonWriter& json, const AttemptStory& story) {
  const AttemptRow& row = story.row;
  json.begin_object();
  json.key("number").value(row.number);
  json.key("state").value(to_string(row.state));
  json.key("reason").value(to_string(row.reason));
  json.key("detail").value(row.detail);
  json.key("sentence").value(outcome_sentence(row));
  json.key("allocation").value(row.allocation);
  json.key("job").value(row.job_id);
  if (!row.nodes.empty()) json.key("nodes").value(row.nodes);
  json.key("submitted_ns").value(row.submitted_ns);
  json.key("started_ns").value(row.started_ns);
  json.key("ended_ns").value(row.ended_ns);
  json.key("exit_code").value(row.exit_code);
  json.key("signal").value(row.signal);
  json.key("folder").value(story.folder);
  json.key("folder_exists").value(story.folder_exists);
  if (story.pushed.records > 0) {
    json.key("pushed").begin_object();
    json.key("records").value(story.pushed.records);
    json.key("samples").value(story.pushed.samples);
    json.end_object();
  }
  json.key("samples").begin_array();
  for (const Sample& sample : story.samples) {
    json.begin_object();
    json.key("iteration").value(sample.iteration);
    json.key("warmup").value(sample.warmup);
    json.key("max_ns").value(sample.max_ns);
    json.key("mean_ns").value(sample.mean_ns);
    json.key("min_ns").value(sample.min_ns);
    json.key("compute_ns").value(sample.compute_ns);
    json.key("communication_ns").value(sample.communication_ns);
    json.key("other_ns").value(sample.other_ns);
    json.end_object();
  }
  json.end_array();
  json.key("metrics").begin_array();
  for (const Metric& metric : story.metrics) {
    json.begin_object();
    json.key("name").value(metric.name);
    json.key("value").value(metric.value);
    json.key("unit").value(metric.unit);
    if (!metric.better.empty()) json.key("better").value(metric.better);
    json.end_object();
  }
  json.end_array();
  if (const auto kept = kept_files(story.facts); !kept.empty()) {
    json.key("kept").begin_array();
    for (const KeptFile& file : kept) json.value(story.folder + "/kept/" + file.name);
    json.end_array();
  }
  json.key("ranks").begin_array();
  for (const RankTotal& rank : story.ranks) {
    json.begin_object();
    json.key("rank").value(rank.rank);
    json.key("host").value(rank.host);
    json.key("cpus").value(rank.cpus);
    json.key("compute_ns").value(rank.compute_ns);
    json.key("communication_ns").value(rank.communication_ns);
    json.key("work").value(rank.work);
    json.end_object();
  }
  json.end_array();
  if (!story.profile.ranks.empty()) write_profile(json, story.profile);
  json.key("provenance").begin_array();
  for (const Fact& fact : story.facts) {
    json.begin_object();
    json.key("scope").value(fact.scope);
    json.key("name").value(fact.name);
    json.key("value").value(fact.value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string to_json(const RunStory& story) {
  JsonWriter json;
  json.begin_object();
  json.key("study").value(story.found.study.id);
  json.key("run").value(story.found.run.number);
  json.key("repeat").value(story.found.run.repeat);
  json.key("round").value(story.found.run.round);
  json.key("finished").value(story.found.run.finished);
  json.key("point");
  write_point(json, story.found.point);
  json.key("attempts").begin_array();
  for (const AttemptStory& attempt : story.attempts) write_attempt(json, attempt);
  json.end_array();
  write_events(json, story.events);
  json.end_object();
  return json.text() + "\n";
}

}  // namespace kneepoint::cli
