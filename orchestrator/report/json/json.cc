// SPDX-License-Identifier: Apache-2.0
//
// Everything, for programs. Keys in a fixed order, numbers that read back to the same double. What
// differs between two executions with the same results (wall-clock times, attempts, nodes used)
// stands only under keys named "volatile": without them, same results give same bytes.
#include <cstdio>

#include "orchestrator/report/document.h"
#include "orchestrator/report/json/parts.h"
#include "orchestrator/report/tables/queue_tables.h"
#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

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
  if (!run.disturbed.empty()) line.key("disturbed").value(run.disturbed);
  if (run.set_aside > 0) line.key("set_aside").value(run.set_aside);
  line.key("volatile").begin_object().key("attempts").value(run.attempts);
  line.key("hosts").value(run.hosts).key("nodes").value(run.nodes);
  line.key("allocation").value(run.allocation);
  put_optional(line, "queue_wait", run.queue_seconds);
  line.end_object().end_object();
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

std::optional<double> when(bool exists, double value) {
  return exists ? std::optional(value) : std::nullopt;
}

void put_point(JsonWriter& w, const PointSummary& p, const Curve& curve, const PointDetail& detail,
               const std::vector<RunEvidence>& runs) {
  const bool data = p.valid > 0;
  const bool split = p.compute_share > 0 || p.communication_share > 0;
  w.begin_object().key("k").value(p.point.k).key("baseline").value(p.baseline);
  put_value(w, "time", "median", when(data, p.seconds), p.seconds_interval);
  // S = E * K/K0, so E's interval gives that of S.
  put_value(w, "speedup", "value", when(data, p.speedup), p.efficiency_interval,
            static_cast<double>(p.point.k) / curve.k0);
  put_value(w, "efficiency", "value", when(data, p.efficiency), p.efficiency_interval);
  put_value(w, "efficiency_by_work", "value", p.efficiency_by_work, p.efficiency_by_work_interval);
  put_value(w, "karp_flatt", "value", p.karp_flatt, p.karp_flatt_interval);
  put_shape(w, p.point.shape);
  put_if(w, "size", p.point.has_size, p.point.size);
  w.key("emulated").value(p.point.emulated);
  w.key("runs_valid").value(p.valid).key("runs_failed").value(p.failed);
  w.key("runs_pending").value(p.pending).key("runs_set_apart").value(p.set_apart);
  w.key("outliers").value(p.outliers);
  put_if(w, "work_total", p.work_total > 0, p.work_total);
  w.key("work_unit").value(p.point.work_unit);
  put_if(w, "compute_share", split, p.compute_share);
  put_if(w, "communication_share", split, p.communication_share);
  w.key("results").value(p.point.results).key("result_name").value(p.point.result_name);
  put_if(w, "node_seconds_per_result", data, p.node_seconds_per_result);
  put_point_detail(w, detail);
  put_texts(w, "flags", p.flags);
  w.key("runs").begin_array();
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
  w.begin_object().key("k").value(p.point.k);
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
  put("efficiency", "value", p.decisive_efficiency(), p.decisive_interval());
  w.key("karp_flatt").begin_object().key("value");
  w.raw(p.karp_flatt ? page_number(*p.karp_flatt) : "null");
  w.end_object().key("shape").begin_object().key("nodes").value(p.point.shape.nodes);
  w.end_object().end_object();
}

void put_mode(JsonWriter& w, const Document& document, const CurveView& view, JsonExtent extent) {
  const Curve& curve = *view.curve;
  const PointSummary* base = curve.baseline();
  w.key(to_string(curve.mode)).begin_object();
  w.key("label").value(view.label);
  if (extent == JsonExtent::whole) w.key("sentence").value(sentence_of(view));
  put_k(w, "recommended_k", recommended_k(view));
  w.key("knee_rule").value(view.rule);
  if (extent == JsonExtent::whole) w.key("held_fixed").value(curve.held_fixed);
  w.key("emulated").value(curve.emulated);
  if (curve.stand_in) w.key("stand_in").value(true);
  w.key("k0").value(curve.k0);
  put_if(w, "k0_seconds", base != nullptr, base == nullptr ? 0 : base->seconds);
  if (extent == JsonExtent::whole) put_texts(w, "findings", curve.findings);
  w.key("points").begin_array();
  const PointDetail nothing;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (extent == JsonExtent::page) {
      put_page_point(w, curve.points[i]);
      continue;
    }
    const auto& details = view.analysis->points;
    put_point(w, curve.points[i], curve, i < details.size() ? details[i] : nothing,
              document.study.points[curve.points[i].index].runs);
  }
  w.end_array();
  extent == JsonExtent::page ? put_page_curve(w, view) : put_curve_detail(w, view);
  w.end_object();
}

void put_questions(JsonWriter& w, const std::vector<Question>& questions) {
  w.key("questions").begin_array();
  for (const Question& question : questions) {
    w.begin_object().key("question").value(question.question).key("answers").begin_array();
    for (const QuestionAnswer& answer : question.answers) {
      JsonWriter line;
      line.begin_object();
      put_texts(line, "about", answer.about);
      line.key("known").value(answer.known).key("text").value(answer.text);
      w.raw(line.end_object().text());
    }
    w.end_array().end_object();
  }
  w.end_array();
}

}  // namespace

std::string to_json(const Document& document, JsonExtent extent) {
  const StudyEvidence& study = document.study;
  const bool whole = extent == JsonExtent::whole;
  JsonWriter w(whole ? 2 : 0);
  w.begin_object().key("schema").value("kneepoint.report/1");
  w.key("study").begin_object().key("id").value(study.id).key("name").value(study.name);
  w.key("state").value(study.state).key("site").value(study.site);
  w.key("backend").value(study.backend).key("worker").value(to_string(study.worker));
  w.key("seed").value(study.seed).key("knee_rule").value(study.knee_rule);
  w.key("knee_floor").value(study.knee_floor).end_object();
  w.key("red").value(document.red).key("red_reason").value(document.red_reason);
  w.key("headline").value(document.headline);
  if (whole) {
    put_questions(w, document.questions);
    put_texts(w, "notes", document.notes);
  }
  const std::vector<CurveView> views = curve_views(study, document.analysis);
  w.key("cases").begin_array();
  for (const std::vector<std::size_t>& curves : curves_by_case(views)) {
    const Curve& first = *views[curves.front()].curve;
    w.begin_object().key("case").value(first.case_name);
    w.key("build").value(first.build).key("shape").value(first.shape_name);
    if (whole) w.key("provenance").value(first.provenance);
    w.key("modes").begin_object();
    for (const std::size_t i : curves) put_mode(w, document, views[i], extent);
    w.end_object().end_object();
  }
  w.end_array();
  whole ? put_cost(w, document.cost) : put_page_cost(w, document.cost);
  if (whole) {
    put_study_detail(w, document.analysis);
    put_warnings(w, document.analysis.warnings);
  }
  w.key("volatile").begin_object().key("created").value(to_utc_text(study.created_ns));
  w.key("created_ns").value(study.created_ns).key("node_seconds").value(study.node_seconds);
  if (whole) put_queue(w, document.analysis);
  w.end_object().end_object();
  return w.text() + "\n";
}

}  // namespace kneepoint
