// SPDX-License-Identifier: Apache-2.0
//
// Everything, for programs. Keys in a fixed order, numbers that read back to the same double. What
// differs between two executions with the same results (wall-clock times, attempts, nodes used)
// stands only under keys named "volatile": without them, same results give same bytes.
#include "orchestrator/base/json_text.h"
#include "orchestrator/report/answers.h"
#include "orchestrator/report/document.h"

namespace kneepoint {
namespace {

void put_texts(JsonWriter& w, const char* key, const std::vector<std::string>& texts) {
  w.key(key).begin_array();
  for (const std::string& text : texts) w.value(text);
  w.end_array();
}

void put_if(JsonWriter& w, const char* key, bool exists, double value) {
  w.key(key);
  if (exists) {
    w.value(value);
  } else {
    w.null();
  }
}

void put_k(JsonWriter& w, const char* key, const std::optional<int>& k) {
  w.key(key);
  if (k) {
    w.value(*k);
  } else {
    w.null();
  }
}

void put_interval(JsonWriter& w, const char* key, const std::optional<Interval>& interval) {
  w.key(key);
  if (!interval) {
    w.null();
    return;
  }
  JsonWriter line;
  line.begin_object().key("low").value(interval->low).key("high").value(interval->high);
  line.key("level").value(interval->level).key("method").value(interval->method).end_object();
  w.raw(line.text());
}

void put_knee(JsonWriter& w, const KneeAnswer& knee) {
  w.begin_object().key("floor").value(knee.floor).key("where").value(knee.where);
  put_if(w, "k", knee.k.has_value(), knee.k.value_or(0));
  put_k(w, "k_measured", knee.k_measured);
  put_k(w, "k_sure", knee.k_sure);
  put_k(w, "k_maybe", knee.k_maybe);
  w.key("sentence").value(knee.sentence).end_object();
}

void put_run(JsonWriter& w, const RunEvidence& run) {
  JsonWriter line;
  const bool valid = run.state == AttemptState::succeeded;
  line.begin_object().key("run").value(run.number).key("repeat").value(run.repeat);
  line.key("state").value(to_string(run.state)).key("reason").value(to_string(run.reason));
  line.key("finished").value(run.finished);
  put_if(line, "seconds", valid, run.seconds);
  put_if(line, "compute_seconds", valid, run.compute_seconds);
  put_if(line, "communication_seconds", valid, run.communication_seconds);
  put_if(line, "work_total", run.work_total > 0, run.work_total);
  put_if(line, "work_min", run.work_total > 0, run.work_min);
  put_if(line, "work_max", run.work_total > 0, run.work_max);
  line.key("oversubscribed").value(run.oversubscribed);
  line.key("binding_differs").value(run.binding_differs);
  line.key("machine_busy").value(run.machine_busy);
  line.key("volatile").begin_object().key("attempts").value(run.attempts);
  line.key("hosts").value(run.hosts).end_object().end_object();
  w.raw(line.text());
}

void put_shape(JsonWriter& w, const Shape& shape) {
  JsonWriter line;
  line.begin_object().key("nodes").value(shape.nodes).key("ranks").value(shape.ranks);
  line.key("ranks_per_node").value(shape.ranks_per_node);
  line.key("threads_per_rank").value(shape.threads_per_rank);
  line.key("gpus_per_node").value(shape.gpus_per_node).key("bind").value(to_string(shape.bind));
  line.end_object();
  w.key("shape").raw(line.text());
}

void put_point(JsonWriter& w, const PointSummary& p, const std::vector<RunEvidence>& runs) {
  const bool data = p.valid > 0;
  const bool split = p.compute_share > 0 || p.communication_share > 0;
  w.begin_object().key("k").value(p.point.k).key("baseline").value(p.baseline);
  put_shape(w, p.point.shape);
  put_if(w, "size", p.point.has_size, p.point.size);
  w.key("emulated").value(p.point.emulated);
  w.key("runs_valid").value(p.valid).key("runs_failed").value(p.failed);
  w.key("runs_pending").value(p.pending).key("outliers").value(p.outliers);
  put_if(w, "seconds", data, p.seconds);
  put_interval(w, "seconds_interval", p.seconds_interval);
  put_if(w, "speedup", data, p.speedup);
  put_if(w, "efficiency", data, p.efficiency);
  put_interval(w, "efficiency_interval", p.efficiency_interval);
  put_if(w, "efficiency_by_work", p.efficiency_by_work.has_value(),
         p.efficiency_by_work.value_or(0));
  put_interval(w, "efficiency_by_work_interval", p.efficiency_by_work_interval);
  put_if(w, "karp_flatt", p.karp_flatt.has_value(), p.karp_flatt.value_or(0));
  put_interval(w, "karp_flatt_interval", p.karp_flatt_interval);
  put_if(w, "work_total", p.work_total > 0, p.work_total);
  w.key("work_unit").value(p.point.work_unit);
  put_if(w, "compute_share", split, p.compute_share);
  put_if(w, "communication_share", split, p.communication_share);
  w.key("results").value(p.point.results).key("result_name").value(p.point.result_name);
  put_if(w, "node_seconds_per_result", data, p.node_seconds_per_result);
  put_texts(w, "flags", p.flags);
  w.key("runs").begin_array();
  for (const RunEvidence& run : runs) put_run(w, run);
  w.end_array().end_object();
}

void put_curve(JsonWriter& w, const Document& document, std::size_t i) {
  const Curve& curve = document.summary.curves[i];
  const PointSummary* base = curve.baseline();
  w.begin_object().key("build").value(curve.build).key("case").value(curve.case_name);
  w.key("mode").value(to_string(curve.mode)).key("shape").value(curve.shape_name);
  w.key("held_fixed").value(curve.held_fixed).key("emulated").value(curve.emulated);
  w.key("k0").value(curve.k0);
  put_if(w, "k0_seconds", base != nullptr, base == nullptr ? 0 : base->seconds);
  put_texts(w, "findings", curve.findings);
  w.key("answer").value(document.answers[i]);
  put_k(w, "recommended_k", recommended_k(curve, document.summary.knees[i]));
  w.key("knee");
  put_knee(w, document.summary.knees[i]);
  w.key("lines").begin_array();
  for (const KneeAnswer& line : curve.lines) put_knee(w, line);
  w.end_array();
  w.key("points").begin_array();
  for (const PointSummary& p : curve.points) {
    put_point(w, p, document.study.points[p.index].runs);
  }
  w.end_array().end_object();
}

}  // namespace

std::string to_json(const Document& document) {
  const StudyEvidence& study = document.study;
  JsonWriter w(2);
  w.begin_object().key("v").value(1);
  w.key("study").begin_object().key("id").value(study.id).key("name").value(study.name);
  w.key("state").value(study.state).key("site").value(study.site);
  w.key("backend").value(study.backend).key("worker").value(to_string(study.worker));
  w.key("seed").value(study.seed).key("knee_rule").value(study.knee_rule);
  w.key("knee_floor").value(study.knee_floor).end_object();
  w.key("red").value(document.red).key("red_reason").value(document.red_reason);
  w.key("headline").value(document.headline);
  put_texts(w, "notes", document.notes);
  w.key("curves").begin_array();
  for (std::size_t i = 0; i < document.summary.curves.size(); ++i) put_curve(w, document, i);
  w.end_array();
  w.key("volatile").begin_object().key("created").value(to_utc_text(study.created_ns));
  w.key("created_ns").value(study.created_ns).key("node_seconds").value(study.node_seconds);
  w.end_object().end_object();
  return w.text() + "\n";
}

}  // namespace kneepoint
