// SPDX-License-Identifier: Apache-2.0
//
// Models, knees, predictions, breakdown, tail, audits, shapes and collectives as JSON. Objects of a
// few numbers stand on one line, so that a person can read the file too.
#include "orchestrator/report/json/parts.h"

namespace kneepoint {
namespace {

void put_models(JsonWriter& w, const CurveAnalysis& analysis) {
  const ModelsAnswer& models = analysis.models;
  w.put("models", models.fits).put("model_intervals", analysis.best_intervals);
  w.put("models_not_fitted", models.not_fitted);
  w.put("power_law_exponent", models.power ? std::optional(models.power->p) : std::nullopt);
  w.put("model_notes", models.notes);
}

void put_breakdown(JsonWriter& w, const PointDetail& d) {
  w.key("breakdown");
  if (!d.breakdown) {
    w.null();
    return;
  }
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
  w.key("tail");
  if (!d.tail) {
    w.null();
    return;
  }
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

}  // namespace

void put_value(JsonWriter& w, const char* key, const char* name, const std::optional<double>& value,
               const std::optional<Interval>& interval) {
  w.key(key).begin_object(true).put(name, value);
  put_fields(w, interval);
  w.end_object();
}

void put_point_detail(JsonWriter& w, const PointDetail& d) {
  put_value(w, "local_efficiency", "value", d.local_efficiency, d.local_efficiency_interval);
  w.put_or_null("results_per_second", d.results_per_second).put("gustafson_speedup", d.gustafson);
  w.put("comm_ratio", d.comm_ratio).put("comm_ratio_efficiency", d.comm_ratio_efficiency);
  put_breakdown(w, d);
  w.put("mpi_profile", d.profile).put("metrics", d.metrics);
  put_tail(w, d);
  w.put("roofline", d.roofline).put("flops_per_second", d.flops_per_second);
  w.put("utilisation", d.utilisation);
  w.put("audit", d.audit && d.audit->triggered ? d.audit : std::nullopt);
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

}  // namespace kneepoint
