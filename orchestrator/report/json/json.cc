// SPDX-License-Identifier: Apache-2.0
//
// Everything, for programs. Keys in a fixed order, numbers that read back to the same double. What
// differs between two executions with the same results (wall-clock times, attempts, nodes used)
// stands only under keys named "volatile": without them, same results give same bytes.
#include <cstdio>

#include "orchestrator/report/document.h"
#include "orchestrator/report/json/parts.h"
#include "orchestrator/report/tables/detail_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

void put_run(JsonWriter& w, const RunEvidence& run) {
  const bool valid = run.state == AttemptState::succeeded;
  const bool worked = run.work_total > 0;
  w.begin_object(true).put("run", run.number).put("repeat", run.repeat).put("state", run.state);
  w.put("reason", run.reason).put("finished", run.finished);
  w.put("seconds", when(valid, run.seconds));
  w.put("compute_seconds", when(valid, run.compute_seconds));
  w.put("communication_seconds", when(valid, run.communication_seconds));
  w.put("work_total", when(worked, run.work_total)).put("work_min", when(worked, run.work_min));
  w.put("work_max", when(worked, run.work_max)).put("oversubscribed", run.oversubscribed);
  w.put("binding_differs", run.binding_differs).put("machine_busy", run.machine_busy);
  w.put_if_any("disturbed", run.disturbed).put_if_any("set_aside", run.set_aside);
  w.key("volatile").begin_object().put("attempts", run.attempts).put("hosts", run.hosts);
  w.put("nodes", run.nodes).put("allocation", run.allocation);
  w.put("queue_wait", run.queue_seconds).end_object().end_object();
}

void put_point(JsonWriter& w, const PointSummary& p, const PointDetail& detail,
               const std::vector<RunEvidence>& runs) {
  const bool data = p.valid > 0;
  const bool split = p.compute_share > 0 || p.communication_share > 0;
  w.begin_object().put("k", p.point.k).put("baseline", p.baseline);
  put_value(w, "time", "median", when(data, p.seconds), p.seconds_interval);
  put_value(w, "speedup", "value", when(data, p.speedup), p.speedup_interval);
  put_value(w, "efficiency", "value", when(data, p.efficiency), p.efficiency_interval);
  w.put("efficiency_basis", p.efficiency_basis);
  put_value(w, "efficiency_plain", "value", when(data, p.efficiency_plain),
            p.efficiency_plain_interval);
  put_value(w, "efficiency_by_work", "value", when(p.is_by_work(), p.efficiency),
            p.is_by_work() ? p.efficiency_interval : std::nullopt);
  put_value(w, "karp_flatt", "value", p.karp_flatt, p.karp_flatt_interval);
  w.put("shape", p.point.shape).put("size", when(p.point.has_size, p.point.size));
  w.put("emulated", p.point.emulated).put("runs_valid", p.valid).put("runs_failed", p.failed);
  w.put("runs_pending", p.pending).put("runs_set_apart", p.set_apart).put("outliers", p.outliers);
  w.put_or_null("work_total", p.work_total).put("work_unit", p.point.work_unit);
  w.put("compute_share", when(split, p.compute_share));
  w.put("communication_share", when(split, p.communication_share));
  w.put("results", p.point.results).put("result_name", p.point.result_name);
  w.put("node_seconds_per_result", when(data, p.node_seconds_per_result));
  put_point_detail(w, detail);
  w.put("flags", p.flags).key("runs").begin_array();
  for (const RunEvidence& run : runs) put_run(w, run);
  w.end_array().end_object();
}

// Enough for what a page draws from it.
std::string page_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

void put_page_point(JsonWriter& w, const PointSummary& p) {
  const bool data = p.valid > 0;
  w.begin_object().put("k", p.point.k);
  const auto put = [&](const char* key, const char* name, double value, const auto& interval) {
    w.key(key).begin_object();
    const auto rounded = [&](const char* part, bool exists, double number) {
      w.key(part).raw(exists ? page_number(number) : "null");
    };
    rounded(name, data, value);
    rounded("low", interval.has_value(), interval ? interval->low : 0);
    rounded("high", interval.has_value(), interval ? interval->high : 0);
    w.end_object();
  };
  put("time", "median", p.seconds, p.seconds_interval);
  put("efficiency", "value", p.efficiency, p.efficiency_interval);
  w.put("efficiency_basis", p.efficiency_basis);
  if (p.is_by_work()) {
    put("efficiency_plain", "value", p.efficiency_plain, p.efficiency_plain_interval);
  }
  w.key("karp_flatt").begin_object().key("value");
  w.raw(p.karp_flatt ? page_number(*p.karp_flatt) : "null");
  w.end_object().key("shape").begin_object().put("nodes", p.point.shape.nodes);
  w.end_object().end_object();
}

void put_mode(JsonWriter& w, const Document& document, const CurveView& view, JsonExtent extent) {
  const Curve& curve = *view.curve;
  const PointSummary* base = curve.baseline();
  const bool whole = extent == JsonExtent::whole;
  w.key(to_string(curve.mode)).begin_object().put("label", view.label);
  if (whole) w.put("sentence", sentence_of(view));
  w.put("recommended_k", view.to_use->k).put("knee_rule", view.to_use->rule);
  if (whole) w.put("held_fixed", curve.held_fixed);
  w.put("emulated", curve.emulated).put_if_any("stand_in", curve.stand_in).put("k0", curve.k0);
  w.put("k0_seconds", when(base != nullptr, base == nullptr ? 0 : base->seconds));
  if (whole) w.put("findings", curve.findings);
  w.key("points").begin_array();
  const PointDetail nothing;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (!whole) {
      put_page_point(w, curve.points[i]);
      continue;
    }
    const auto& details = view.analysis->points;
    put_point(w, curve.points[i], i < details.size() ? details[i] : nothing,
              document.study.points[curve.points[i].index].runs);
  }
  w.end_array();
  whole ? put_curve_detail(w, view) : put_page_curve(w, view);
  w.end_object();
}

}  // namespace

std::string to_json(const Document& document, JsonExtent extent) {
  const StudyEvidence& study = document.study;
  const bool whole = extent == JsonExtent::whole;
  JsonWriter w(whole ? 2 : 0);
  w.begin_object().put("schema", "kneepoint.report/1").key("study").begin_object();
  w.put("id", study.id).put("name", study.name).put("state", study.state).put("site", study.site);
  w.put("backend", study.backend).put("worker", study.worker).put("seed", study.seed);
  w.put("knee_rule", study.knee_rule).put("knee_floor", study.knee_floor).end_object();
  w.put("red", document.red).put("red_reason", document.red_reason);
  w.put("headline", document.headline);
  if (whole) w.put("questions", document.questions).put("notes", document.notes);
  const std::vector<CurveView> views = curve_views(document.analysis);
  w.key("cases").begin_array();
  for (const std::vector<std::size_t>& curves : curves_by_case(views)) {
    const Curve& first = *views[curves.front()].curve;
    w.begin_object().put("case", first.case_name).put("build", first.build);
    w.put("shape", first.shape_name);
    if (whole) w.put("provenance", first.provenance);
    w.key("modes").begin_object();
    for (const std::size_t i : curves) put_mode(w, document, views[i], extent);
    w.end_object().end_object();
  }
  w.end_array();
  whole ? put_cost(w, document.cost) : put_page_cost(w, document.cost);
  if (whole) {
    put_study_detail(w, document.analysis);
    w.put("warnings", document.analysis.warnings);
  }
  w.key("volatile").begin_object().put("created", to_utc_text(study.created_ns));
  w.put("created_ns", study.created_ns).put("node_seconds", study.node_seconds);
  if (whole) put_queue(w, document.analysis);
  w.end_object().end_object();
  return w.text() + "\n";
}

}  // namespace kneepoint
