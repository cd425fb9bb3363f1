// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/study_picture.h"

#include <algorithm>

#include "orchestrator/report/answers.h"
#include "orchestrator/server/dashboard/api_schema.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostWaiting = 5;

void put_interval(JsonWriter& json, const std::string& name,
                  const std::optional<Interval>& interval) {
  const bool known = interval.has_value();
  json.put(name + "_low", when(known, known ? interval->low : 0));
  json.put(name + "_high", when(known, known ? interval->high : 0));
  json.put(name + "_level", when(known, known ? interval->level : 0));
}

void put_point(JsonWriter& json, const PointSummary& at) {
  const bool measured = at.valid > 0;
  json.begin_object().put("key", at.point.key()).put("k", at.point.k);
  json.put("planned", at.valid + at.failed + at.pending).put("done", at.valid + at.failed);
  json.put("failed", at.failed).put("seconds", when(measured, at.seconds));
  put_interval(json, "seconds", at.seconds_interval);
  json.put("efficiency", when(measured && at.efficiency > 0, at.efficiency));
  put_interval(json, "efficiency", at.efficiency_interval);
  json.put("efficiency_basis", at.efficiency_basis);
  json.put("efficiency_plain", when(measured && at.efficiency > 0, at.efficiency_plain));
  json.end_object();
}

void put_curves(JsonWriter& json, const StudyCurves& curves, double floor) {
  json.key("curves").begin_array();
  for (std::size_t i = 0; i < curves.summary.curves.size(); ++i) {
    const Curve& curve = curves.summary.curves[i];
    json.begin_object().put("name", curves.labels[i]);
    json.put("workload", curve.points.empty() ? "" : curve.points.front().point.workload);
    json.put("case", curve.case_name).put("mode", curve.mode).put("floor", floor);
    json.put("recommended_k", curves.summary.to_use[i].k);
    json.key("points").begin_array();
    for (const PointSummary& at : curve.points) put_point(json, at);
    json.end_array().end_object();
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
  const auto& to_use = curves.summary.to_use;
  const bool decided = std::any_of(to_use.begin(), to_use.end(),
                                   [](const RecommendedK& one) { return one.k.has_value(); });
  if (decided) curves.headline = headline_of(curves.summary, curves.labels);
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
  json.begin_object().put("id", line.id).put("name", line.name).put("series", line.series());
  json.put("state", line.state).put("backend", line.backend).put("site", line.site);
  json.put("created", to_utc_text(line.created_ns)).put("updated", to_utc_text(line.updated_ns));
  json.put("runs", line.runs).put("succeeded", line.succeeded).put("failed", line.failed);
  json.put("running", is_live).put_if_any("headline", headline).end_object();
}

std::string to_json(const StudyPicture& picture) {
  JsonWriter json;
  json.begin_object().put("schema", kApiSchema).key("study");
  put_study_line(json, picture.line, picture.is_live, picture.curves->headline);
  json.put("seconds_left", picture.seconds_left).put("waiting", waiting_of(picture.active));
  put_curves(json, *picture.curves, picture.line.knee_floor);
  json.key("active").begin_array();
  for (const ActiveLine& one : picture.active) {
    json.begin_object().put("run", one.run).put("attempt", one.attempt).put("state", one.state);
    json.put_or_null("since", one.since_ns > 0 ? to_utc_text(one.since_ns) : "");
    json.put("nodes", one.nodes).put("samples", one.samples).end_object();
  }
  json.end_array().key("events").begin_array();
  for (const Event& event : picture.events) {
    json.begin_object().put("time", to_utc_text(event.wall_ns)).put("kind", event.kind);
    json.put_or_null("run", event.run_number).put("text", event.text).end_object();
  }
  return json.end_array().end_object().text();
}

}  // namespace kneepoint
