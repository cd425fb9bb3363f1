// SPDX-License-Identifier: Apache-2.0
//
// What the gate found and what is kept of a series, for programs: the structs as they are
// described, and the keys that no member holds.
#include "orchestrator/base/json_put.h"
#include "orchestrator/report/gate/gate.h"

namespace kneepoint {
namespace {

void put_builds(JsonWriter& json, const Baseline& baseline) {
  json.key("builds").begin_array();
  for (const PinnedBuild& build : baseline.builds) {
    json.begin_object().put("workload", build.workload).put("kind", build.kind);
    json.put("value", build.value).put("hash", build.hash).end_object();
  }
  json.end_array().end_object();
}

// With all that `baseline` keeps of it.
void put_kept(JsonWriter& json, const Baseline& one) {
  json.begin_object().put("series", one.series).put("study", one.study).put("note", one.note);
  json.put("who", one.who).put("made", to_utc_text(one.made_ns));
  json.put_or_null("dropped", one.dropped_ns > 0 ? to_utc_text(one.dropped_ns) : "");
  put_builds(json, one);
}

void put_calibration(JsonWriter& json, const std::optional<Calibration>& noise) {
  json.key("calibration");
  if (!noise) {
    json.null();
    return;
  }
  json.begin_object().put("made", to_utc_text(noise->made_ns));
  json.put("repeat_deviation", noise->repeat_sd).put("night_deviation", noise->night_sd);
  json.put("node_deviation", noise->node_sd).put("false_alarm_rate", noise->false_alarm_rate);
  json.put("smallest_detectable", noise->smallest_detectable).put("repeats", noise->repeats);
  json.put("nights", noise->nights).put("recommended_repeats", noise->recommended_repeats);
  json.put("recommended_history", noise->recommended_history).end_object();
}

}  // namespace

std::string gate_json(const GateReport& report) {
  const GateAnswer& answer = report.answer;
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.gate/1").put("study", report.study);
  json.put("series", report.series).put("verdict", answer.verdict).put("why", answer.why);
  json.put("line", verdict_line(report)).put("nights", answer.nights);
  json.put_or_null("curve_detectable", answer.curve_detectable);
  json.put("imported_nights", report.imported).put("needs", answer.needs);
  json.put("environment_changed", report.history.changed).put("left_out", report.left_out);
  json.key("options").begin_object().put("alpha", report.options.alpha);
  json.put("min_effect", report.options.min_effect);
  json.put("confirm_effect", report.options.confirm_effect);
  json.put("max_regression", report.options.max_regression).end_object().key("baseline");
  if (report.baseline) {
    json.begin_object().put("study", report.baseline->study).put("note", report.baseline->note);
    json.put("made", to_utc_text(report.baseline->made_ns));
    put_builds(json, *report.baseline);
  } else {
    json.null();
  }
  json.put("against_baseline", answer.against_baseline).put("drifts", answer.drifts);
  json.put("knees", answer.knees).put("confirmed", answer.confirmed);
  json.key("changes").begin_array();
  for (const GateFinding& curve : answer.curves) {
    for (const LevelChange& change : curve.changes) {
      put_fields(json.begin_object().put("curve", curve.name), change);
      json.end_object();
    }
  }
  json.end_array().key("calibration").raw(json_text(report.calibration));
  json.put("failed", report.history.failed).put("curves", answer.curves);
  return json.put("points", answer.points).end_object().text();
}

std::string series_json(const SeriesView& view) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.series/1").put("series", view.series);
  json.put("studies", view.studies).key("baseline");
  view.baseline ? put_kept(json, *view.baseline) : static_cast<void>(json.null());
  json.put("problems", view.problems).key("acknowledged").begin_array();
  for (const AcknowledgedChange& one : view.acknowledged) {
    json.begin_object().put("study", one.study).put("note", one.note).put("who", one.who);
    json.put("made", to_utc_text(one.made_ns)).end_object();
  }
  json.end_array().key("imported").begin_array();
  for (const ImportedNight& night : view.imported) {
    json.begin_object().put("night", night.night).put("build", night.build);
    json.put("times", night.times.size()).end_object();
  }
  json.end_array();
  put_calibration(json, view.calibration);
  json.key("verdicts").begin_array();
  for (const StoredVerdict& one : view.verdicts) {
    json.begin_object().put("study", one.study).put("verdict", one.verdict).put("why", one.why);
    json.put("made", to_utc_text(one.made_ns)).end_object();
  }
  return json.end_array().end_object().text();
}

std::string baselines_json(const std::vector<Baseline>& all) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.baselines/1").key("baselines").begin_array();
  for (const Baseline& one : all) put_kept(json, one);
  return json.end_array().end_object().text();
}

std::string noise_json(const NoiseReport& report) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.noise/1").put("series", report.series);
  json.put("studies", report.studies).put("nights_of_series", report.nights_of_series);
  put_fields(json, report.noise);
  json.key("simulated").begin_object().put("nights", report.quiet.nights);
  json.put("repeats", report.shape.repeats).put("history", report.shape.history);
  json.put("regressed", report.quiet.regressed).put("suspect", report.quiet.suspect);
  json.put("inconclusive", report.quiet.inconclusive).put("pass", report.quiet.pass);
  json.put("smallest_detectable", report.detectable).end_object();
  return json.put("recommended", report.advice).end_object().text();
}

}  // namespace kneepoint
