// SPDX-License-Identifier: Apache-2.0
//
// The gate's answer for programs; docs/reference/gate.md lists every field.
#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/gate_text.h"
#include "orchestrator/cli/noise.h"

namespace kneepoint::cli {
namespace {

void put_finding(JsonWriter& json, const GateReport& report, const GateFinding& finding) {
  json.begin_object().key("name").value(finding.name);
  json.key("whole_curve").value(finding.whole_curve);
  json.key("k").begin_array();
  for (const int k : finding.ks) json.value(k);
  json.end_array();
  json.key("slower").value(finding.slower).key("slower_before").value(finding.slower_before);
  json.key("faster").value(finding.faster).key("faster_before").value(finding.faster_before);
  json.key("detectable").value(finding.detectable);
  json.key("tests").begin_array();
  for (const NightTest& test : finding.tests) {
    json.begin_object().key("nights").value(test.window).key("history").value(test.history);
    json.key("ratio")
        .value(1 + test.effect)
        .key("low")
        .value(test.low)
        .key("high")
        .value(test.high);
    json.key("p_slower").value(test.p_slower).key("p_faster").value(test.p_faster);
    json.key("deviation").value(test.sd).key("cliffs_delta").value(test.cliff).end_object();
  }
  json.end_array();
  const auto moved = moved_term(report.history, finding);
  json.key("moved");
  finding.slower&& moved ? json.value(moved->name) : json.null();
  json.key("moved_share");
  finding.slower&& moved ? json.value(moved->share) : json.null();
  const auto change =
      finding.slower || finding.faster ? last_change(report.history, finding) : std::nullopt;
  json.key("since");
  change ? json.value(report.history.nights[change->night]) : json.null();
  json.key("level_ratio");
  change ? json.value(change->ratio) : json.null();
  json.end_object();
}

void put_interval(JsonWriter& json, const std::optional<Interval>& interval) {
  json.key("low");
  interval ? json.value(interval->low) : json.null();
  json.key("high");
  interval ? json.value(interval->high) : json.null();
}

void put_night(JsonWriter& json, const GateReport& report, std::size_t night) {
  json.begin_object().key("night").value(report.history.nights[night]);
  json.key("program").value(report.history.builds[night]).end_object();
}

// Every change of every curve, with what ran on either side.
void put_changes(JsonWriter& json, const GateReport& report) {
  json.key("changes").begin_array();
  for (const GateFinding& curve : report.answer.curves) {
    for (const DatedChange& change : all_changes(report.history, curve)) {
      json.begin_object().key("curve").value(curve.name).key("ratio").value(change.ratio);
      json.key("last_before");
      change.night > 0 ? put_night(json, report, change.night - 1) : (void)json.null();
      json.key("first_after");
      put_night(json, report, change.night);
      json.end_object();
    }
  }
  json.end_array();
}

void put_baseline(JsonWriter& json, const GateReport& report) {
  json.key("baseline");
  if (!report.baseline) {
    json.null();
  } else {
    const Baseline& baseline = *report.baseline;
    json.begin_object().key("study").value(baseline.study).key("note").value(baseline.note);
    json.key("made").value(to_utc_text(baseline.made_ns)).key("builds").begin_array();
    for (const PinnedBuild& build : baseline.builds) {
      json.begin_object().key("workload").value(build.workload);
      json.key("kind").value(to_string(build.kind)).key("value").value(build.value);
      json.key("hash").value(build.hash).end_object();
    }
    json.end_array().end_object();
  }
  json.key("against_baseline").begin_array();
  for (const BaselineRatio& one : report.answer.against_baseline) {
    json.begin_object().key("name").value(one.name).key("ratio").value(one.ratio);
    put_interval(json, one.interval);
    json.key("cliffs_delta").value(one.cliff);
    json.key("slower").value(one.slower).key("faster").value(one.faster).end_object();
  }
  json.end_array().key("drifts").begin_array();
  for (const Drift& one : report.answer.drifts) {
    json.begin_object().key("curve").value(one.name).key("ratio").value(one.ratio);
    json.key("p").value(one.p).key("drifted").value(one.drifted);
    json.key("drifted_before").value(one.drifted_before).end_object();
  }
  json.end_array();
}

void put_knees(JsonWriter& json, const GateReport& report) {
  json.key("knees").begin_array();
  for (const KneeShift& one : report.answer.knees) {
    json.begin_object().key("curve").value(one.name).key("before").value(one.before);
    json.key("tonight").value(one.tonight).key("octaves").value(one.octaves);
    json.key("low").value(one.low).key("high").value(one.high);
    json.key("shifted").value(one.shifted).key("confirmed").value(one.confirmed).end_object();
  }
  json.end_array();
}

void put_turns(JsonWriter& json, const GateReport& report) {
  json.key("confirmed").begin_array();
  for (const Confirmation& one : report.answer.confirmed) {
    json.begin_object().key("name").value(one.name).key("whole_curve").value(one.whole_curve);
    json.key("ratio").value(one.ratio);
    put_interval(json, one.interval);
    json.key("p").value(one.p).key("cliffs_delta").value(one.cliff);
    json.key("confirmed").value(one.confirmed).end_object();
  }
  json.end_array();
}

}  // namespace

std::string gate_json(const GateReport& report) {
  JsonWriter json(2);
  json.begin_object().key("schema").value("kneepoint.gate/1");
  json.key("study").value(report.study).key("series").value(report.series);
  json.key("verdict").value(to_string(report.answer.verdict));
  json.key("why").value(report.answer.why).key("line").value(verdict_line(report));
  json.key("nights").value(report.answer.nights);
  json.key("curve_detectable");
  report.answer.curve_detectable > 0 ? json.value(report.answer.curve_detectable) : json.null();
  json.key("imported_nights").value(report.imported);
  json.key("needs");
  if (report.answer.needs) {
    json.begin_object().key("nights").value(report.answer.needs->nights);
    json.key("repeats").value(report.answer.needs->repeats).end_object();
  } else {
    json.null();
  }
  json.key("environment_changed").value(report.history.changed);
  json.key("left_out").begin_array();
  for (const std::string& line : report.left_out) json.value(line);
  json.end_array();
  json.key("options").begin_object().key("alpha").value(report.options.alpha);
  json.key("min_effect").value(report.options.min_effect);
  json.key("confirm_effect").value(report.options.confirm_effect);
  json.key("max_regression").value(report.options.max_regression).end_object();
  put_baseline(json, report);
  put_knees(json, report);
  put_turns(json, report);
  put_changes(json, report);
  json.key("calibration");
  report.calibration ? json.raw(calibration_json(*report.calibration)) : json.null();
  json.key("failed").begin_array();
  for (const std::string& key : report.history.failed) json.value(key);
  json.end_array();
  json.key("curves").begin_array();
  for (const GateFinding& finding : report.answer.curves) put_finding(json, report, finding);
  json.end_array().key("points").begin_array();
  for (const GateFinding& finding : report.answer.points) put_finding(json, report, finding);
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli
