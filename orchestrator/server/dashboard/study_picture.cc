// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/study_picture.h"

#include <algorithm>

#include "orchestrator/report/answers.h"
#include "orchestrator/server/dashboard/api_schema.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostWaiting = 5;

void put(JsonWriter& json, const char* key, bool exists, double value) {
  json.key(key);
  exists ? json.value(value) : json.null();
}

void put_interval(JsonWriter& json, const std::string& name,
                  const std::optional<Interval>& interval) {
  put(json, (name + "_low").c_str(), interval.has_value(), interval ? interval->low : 0);
  put(json, (name + "_high").c_str(), interval.has_value(), interval ? interval->high : 0);
  put(json, (name + "_level").c_str(), interval.has_value(), interval ? interval->level : 0);
}

void put_point(JsonWriter& json, const PointSummary& at) {
  const bool measured = at.valid > 0;
  json.begin_object();
  json.key("key").value(at.point.key());
  json.key("k").value(at.point.k);
  json.key("planned").value(at.valid + at.failed + at.pending);
  json.key("done").value(at.valid + at.failed);
  json.key("failed").value(at.failed);
  put(json, "seconds", measured, at.seconds);
  put_interval(json, "seconds", at.seconds_interval);
  put(json, "efficiency", measured && at.efficiency > 0, at.decisive_efficiency());
  put_interval(json, "efficiency", at.decisive_interval());
  json.end_object();
}

void put_curves(JsonWriter& json, const StudyCurves& curves, double floor) {
  json.key("curves").begin_array();
  for (std::size_t i = 0; i < curves.summary.curves.size(); ++i) {
    const Curve& curve = curves.summary.curves[i];
    json.begin_object();
    json.key("name").value(curves.labels[i]);
    json.key("workload").value(curve.points.empty() ? "" : curve.points.front().point.workload);
    json.key("case").value(curve.case_name);
    json.key("mode").value(to_string(curve.mode));
    json.key("floor").value(floor);
    json.key("points").begin_array();
    for (const PointSummary& at : curve.points) put_point(json, at);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

std::vector<std::string> waiting_of(const std::vector<ActiveLine>& active) {
  std::vector<std::string> texts;
  for (const ActiveLine& one : active) {
    if (one.waiting.empty() || texts.size() == kMostWaiting) continue;
    if (std::find(texts.begin(), texts.end(), one.waiting) == texts.end()) {
      texts.push_back(one.waiting);
    }
  }
  return texts;
}

}  // namespace

StudyCurves curves_of(const StudyEvidence& evidence) {
  StudyCurves curves;
  curves.summary = summarise(evidence);
  curves.labels = curve_labels(curves.summary);
  if (curves.summary.anything_ran && !curves.summary.knees.empty()) {
    curves.headline = curves.labels.front() + ": " + curves.summary.knees.front().sentence;
  }
  return curves;
}

std::optional<double> seconds_left(const std::vector<PointPace>& paces, std::size_t at_once) {
  double all = 0, left = 0;
  int ended = 0, open = 0;
  for (const PointPace& pace : paces) {
    all += pace.seconds * pace.ended;
    ended += pace.ended;
    open += pace.open;
  }
  if (ended == 0 || open == 0) return std::nullopt;
  for (const PointPace& pace : paces) {
    left += pace.open * (pace.ended > 0 ? pace.seconds : all / ended);
  }
  return left / static_cast<double>(std::max<std::size_t>(1, at_once));
}

void put_study_line(JsonWriter& json, const StudyLine& line, bool is_live,
                    const std::string& headline) {
  json.key("id").value(line.id);
  json.key("name").value(line.name);
  json.key("series").value(line.series());
  json.key("state").value(line.state);
  json.key("backend").value(line.backend);
  json.key("site").value(line.site);
  json.key("created").value(to_utc_text(line.created_ns));
  json.key("updated").value(to_utc_text(line.updated_ns));
  json.key("runs").value(line.runs);
  json.key("succeeded").value(line.succeeded);
  json.key("failed").value(line.failed);
  json.key("running").value(is_live);
  if (!headline.empty()) json.key("headline").value(headline);
}

std::string to_json(const StudyPicture& picture) {
  JsonWriter json;
  json.begin_object();
  json.key("schema").value(kApiSchema);
  json.key("study").begin_object();
  put_study_line(json, picture.line, picture.is_live, picture.curves->headline);
  json.end_object();
  put(json, "seconds_left", picture.seconds_left.has_value(), picture.seconds_left.value_or(0));
  json.key("waiting").begin_array();
  for (const std::string& text : waiting_of(picture.active)) json.value(text);
  json.end_array();
  put_curves(json, *picture.curves, picture.line.knee_floor);
  json.key("active").begin_array();
  for (const ActiveLine& one : picture.active) {
    json.begin_object();
    json.key("run").value(one.run);
    json.key("attempt").value(one.attempt);
    json.key("state").value(one.state);
    json.key("since");
    one.since_ns > 0 ? json.value(to_utc_text(one.since_ns)) : json.null();
    json.key("nodes").value(one.nodes);
    json.key("samples").value(one.samples);
    json.end_object();
  }
  json.end_array();
  json.key("events").begin_array();
  for (const Event& event : picture.events) {
    json.begin_object();
    json.key("time").value(to_utc_text(event.wall_ns));
    json.key("kind").value(event.kind);
    json.key("run");
    event.run_number > 0 ? json.value(event.run_number) : json.null();
    json.key("text").value(event.text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text();
}

}  // namespace kneepoint
