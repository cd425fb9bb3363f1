// SPDX-License-Identifier: Apache-2.0
//
// Everything, for programs. Keys in a fixed order, each always there: a number that does not exist
// is null, a list without entries is empty. What differs between two executions with the same
// results (wall-clock times, attempts, nodes used) stands only under keys named "volatile": without
// them, same results give same bytes. docs/reference/report.schema.json is the contract.
#include <fmt/core.h>

#include "orchestrator/base/json_put.h"

#include "orchestrator/report/document.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {
namespace {

// {"<name>": value, "low": ..., "high": ..., "level": ..., "method": ...} on one line.
void put_value(JsonWriter& w, const char* key, const char* name, const std::optional<double>& value,
               const std::optional<Interval>& interval) {
  w.key(key).begin_object(true).put(name, value);
  put_fields(w, interval);
  w.end_object();
}

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

void put_models(JsonWriter& w, const CurveAnalysis& analysis) {
  const ModelsAnswer& models = analysis.models;
  w.put("models", models.fits).put("model_intervals", analysis.best_intervals);
  w.put("models_not_fitted", models.not_fitted);
  w.put("power_law_exponent", models.power ? std::optional(models.power->p) : std::nullopt);
  w.put("model_notes", models.notes);
}

void put_breakdown(JsonWriter& w, const PointDetail& d) {
  const Breakdown& b = *d.breakdown;
  w.begin_object();
  put_fields(w, b);
  w.put("accounting", d.accounting);
  // Which hosts a run got differs between executions with the same results.
  w.key("volatile").begin_object();
  w.put("balance_between_hosts", b.balance_between_hosts);
  w.put("balance_inside_hosts", b.balance_inside_hosts).put("stragglers", d.stragglers);
  w.end_object().end_object();
}

void put_tail(JsonWriter& w, const PointDetail& d) {
  w.begin_object();
  put_fields(w, *d.tail);
  w.put("growth", d.tail_growth).end_object();
}

void put_collective(JsonWriter& w, const CollectiveAnswer& answer) {
  w.begin_object().put("case", answer.case_name).key("fits").begin_array();
  int rank = 0;
  for (const AllreduceFit& fit : answer.model.fits) {
    w.begin_object(true);
    put_fields(w, fit);
    w.put("plausible", rank++ < answer.model.plausible).end_object();
  }
  w.end_array().put("predictions", answer.predictions).put("notes", answer.model.notes);
  w.end_object();
}

void put_point_detail(JsonWriter& w, const PointDetail& d) {
  put_value(w, "local_efficiency", "value", d.local_efficiency, d.local_efficiency_interval);
  w.put_or_null("results_per_second", d.results_per_second).put("gustafson_speedup", d.gustafson);
  w.put("comm_ratio", d.comm_ratio).put("comm_ratio_efficiency", d.comm_ratio_efficiency);
  w.key("breakdown");
  d.breakdown ? put_breakdown(w, d) : static_cast<void>(w.null());
  w.put("mpi_profile", d.profile).put("metrics", d.metrics);
  w.key("tail");
  d.tail ? put_tail(w, d) : static_cast<void>(w.null());
  w.put("roofline", d.roofline).put("flops_per_second", d.flops_per_second);
  w.put("utilisation", d.utilisation);
  w.put("audit", d.audit && d.audit->triggered ? d.audit : std::nullopt);
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
std::string page_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "null";
}

void put_page_point(JsonWriter& w, const PointSummary& p) {
  const bool data = p.valid > 0;
  w.begin_object().put("k", p.point.k);
  const auto put = [&](const char* key, const char* name, double value, const auto& interval) {
    const std::optional<Bounds> bounds = bounds_of(interval);
    w.key(key).begin_object().key(name).raw(page_number(when(data, value)));
    w.key("low").raw(page_number(bounds ? std::optional(bounds->low) : std::nullopt));
    w.key("high").raw(page_number(bounds ? std::optional(bounds->high) : std::nullopt));
    w.end_object();
  };
  put("time", "median", p.seconds, p.seconds_interval);
  put("efficiency", "value", p.efficiency, p.efficiency_interval);
  w.put("efficiency_basis", p.efficiency_basis);
  if (p.is_by_work()) {
    put("efficiency_plain", "value", p.efficiency_plain, p.efficiency_plain_interval);
  }
  w.key("karp_flatt").begin_object().key("value").raw(page_number(p.karp_flatt));
  w.end_object().key("shape").begin_object().put("nodes", p.point.shape.nodes);
  w.end_object().end_object();
}

void put_page_curve(JsonWriter& w, const CurveView& view) {
  const CurveAnalysis& analysis = *view.analysis;
  w.key("models").begin_array();
  if (const ModelFit* model = adequate_model(analysis.models)) put(w, *model);
  w.end_array().key("knees").begin_array();
  for (const Knee& knee : analysis.knees.knees) {
    const bool asked = knee.floor.has_value() || knee.rule == view.to_use->rule;
    if (!knee.powers_of_two && asked) put(w, knee);
  }
  w.end_array();
}

void put_curve_detail(JsonWriter& w, const CurveView& view) {
  const CurveAnalysis& analysis = *view.analysis;
  put_models(w, analysis);
  // The powers of two stand apart, so that rule, floor and basis name one knee.
  for (const bool powers : {false, true}) {
    w.key(powers ? "knees_powers_of_two" : "knees").begin_array();
    for (const Knee& knee : analysis.knees.knees) {
      if (knee.powers_of_two == powers) put(w, knee);
    }
    w.end_array();
  }
  w.put("knees_agree", analysis.knees.agree).put("knees_agreement", analysis.knees.agreement);
  w.put("sawtooth", analysis.knees.sawtooth).put("knee_notes", analysis.knees.notes);
  w.put("predictions", analysis.predictions.predictions);
  w.key("predictions_refused").begin_array();
  for (const RefusedPrediction& one : analysis.predictions.refused) w.value(one.why);
  w.end_array().put("loss", analysis.loss);
  w.put("work_depth", analysis.work_depth).put("intensity", analysis.intensity);
  w.put("cores_until_memory_bound", analysis.cores_until_memory_bound);
  w.put("warnings", analysis.warnings);
}

void put_study_detail(JsonWriter& w, const StudyAnalysis& analysis) {
  if (analysis.builds) w.put("builds", *analysis.builds);
  w.put("shapes", analysis.shapes).key("collectives").begin_array();
  for (const CollectiveAnswer& answer : analysis.collectives) put_collective(w, answer);
  w.end_array();
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
  put_cost(w, document.cost, whole);
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
