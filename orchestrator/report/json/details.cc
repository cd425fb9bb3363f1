// SPDX-License-Identifier: Apache-2.0
//
// Models, knees, predictions, breakdown, tail, audits, shapes and collectives as JSON. Objects of a
// few numbers stand on one line, so that a person can read the file too.
#include "orchestrator/report/build_text.h"
#include "orchestrator/report/json/parts.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {
namespace {

void put_bounds(JsonWriter& w, const char* key, const std::optional<Bounds>& bounds) {
  w.key(key);
  if (!bounds) {
    w.null();
    return;
  }
  JsonWriter line;  // infinity is null
  line.begin_object().key("low").value(bounds->low).key("high").value(bounds->high).end_object();
  w.raw(line.text());
}

void put_model(JsonWriter& w, const ModelFit& fit) {
  w.begin_object().key("name").value(fit.name).key("weight").value(fit.weight);
  JsonWriter terms;
  const Coefficients& c = fit.coefficients;
  terms.begin_object().key("one").value(c.one).key("inverse_k").value(c.inverse_k);
  terms.key("log2_k").value(c.log2_k).key("k_minus_1").value(c.k_minus_1).end_object();
  w.key("coefficients").raw(terms.text());
  put_optional(w, "serial_fraction", fit.serial_fraction);
  put_optional(w, "ceiling", fit.ceiling);
  put_optional(w, "ceiling_reached", fit.ceiling_reached);
  w.key("delta_aicc").value(fit.delta);
  put_optional(w, "left_out_rms", fit.left_out_rms);
  put_if(w, "lack_of_fit_p", fit.lack_of_fit.has_value(), fit.lack_of_fit ? fit.lack_of_fit->p : 0);
  put_optional(w, "fastest_k", fit.fastest_k);
  w.key("fastest_in_range").value(fit.fastest_in_range);
  w.key("not_detectable").begin_array();
  for (const UpperLimit& limit : fit.not_detectable) {
    JsonWriter line;
    line.begin_object().key("term").value(limit.term).key("at_most").value(limit.limit);
    w.raw(line.end_object().text());
  }
  w.end_array().end_object();
}

void put_models(JsonWriter& w, const CurveAnalysis& analysis) {
  const ModelsAnswer& models = analysis.models;
  w.key("models").begin_array();
  for (const ModelFit& fit : models.fits) put_model(w, fit);
  w.end_array();
  w.key("model_intervals");
  if (analysis.best_intervals) {
    const ModelIntervals& sure = *analysis.best_intervals;
    w.begin_object();
    put_bounds(w, "serial_fraction", sure.serial_fraction);
    put_bounds(w, "log_share", sure.log_share);
    put_bounds(w, "linear_share", sure.linear_share);
    put_bounds(w, "fastest_k", sure.fastest_k);
    w.end_object();
  } else {
    w.null();
  }
  w.key("models_not_fitted").begin_array();
  for (const NotFitted& no : models.not_fitted) {
    JsonWriter line;
    line.begin_object().key("name").value(no.name).key("why").value(no.why).key("add_k");
    line.begin_array();
    for (const int k : no.add_k) line.value(k);
    w.raw(line.end_array().end_object().text());
  }
  w.end_array();
  put_if(w, "power_law_exponent", models.power.has_value(), models.power ? models.power->p : 0);
  put_texts(w, "model_notes", models.notes);
}

void put_predictions(JsonWriter& w, const PredictionsAnswer& answer) {
  w.key("predictions").begin_array();
  for (const Prediction& p : answer.predictions) {
    JsonWriter line;
    line.begin_object().key("k").value(p.k).key("time").value(p.seconds).key("low").value(p.low);
    line.key("high").value(p.high).key("extrapolated").value(p.extrapolated);
    line.key("models").begin_array();
    for (const ModelPrediction& m : p.models) {
      line.begin_object().key("name").value(m.model).key("time").value(m.seconds);
      line.key("low").value(m.low).key("high").value(m.high).end_object();
    }
    line.end_array().key("note").value(p.note).end_object();
    w.raw(line.text());
  }
  w.end_array();
  put_texts(w, "predictions_refused", answer.refused);
}

void put_loss(JsonWriter& w, const std::optional<LossShares>& loss) {
  w.key("loss");
  if (!loss) {
    w.null();
    return;
  }
  JsonWriter line;
  line.begin_object().key("basis").value(loss->basis).key("k").value(loss->k);
  line.key("serial").value(loss->serial).key("imbalance").value(loss->imbalance);
  line.key("communication").value(loss->communication);
  line.key("computation").value(loss->computation).end_object();
  w.raw(line.text());
}

void put_breakdown(JsonWriter& w, const PointDetail& d) {
  w.key("breakdown");
  if (!d.breakdown) {
    w.null();
    return;
  }
  const Breakdown& b = *d.breakdown;
  w.begin_object().key("ranks").value(b.ranks).key("wall").value(b.wall);
  w.key("useful_mean").value(b.useful_mean).key("useful_max").value(b.useful_max);
  w.key("imbalance").value(b.imbalance_seconds).key("communication").value(b.communication_seconds);
  w.key("load_balance").value(b.load_balance);
  w.key("communication_efficiency").value(b.communication_efficiency);
  w.key("parallel_efficiency").value(b.parallel_efficiency).key("accounting");
  if (d.accounting) {
    const Accounting& a = *d.accounting;
    w.begin_object().key("computation_scaling").value(a.computation_scaling);
    w.key("global_efficiency").value(a.global_efficiency);
    w.key("implied_efficiency").value(a.implied_efficiency);
    w.key("consistent").value(a.consistent).key("balance_share").value(a.balance_share);
    w.key("communication_share").value(a.communication_share);
    w.key("computation_share").value(a.computation_share).key("sentence").value(a.sentence);
    w.end_object();
  } else {
    w.null();
  }
  // Which hosts a run got differs between executions with the same results.
  w.key("volatile").begin_object();
  w.key("balance_between_hosts").value(b.balance_between_hosts);
  w.key("balance_inside_hosts").value(b.balance_inside_hosts).key("stragglers").begin_array();
  for (const Straggler& slow : d.stragglers) {
    JsonWriter line;
    line.begin_object().key("host").value(slow.host).key("whole_host").value(slow.whole_host);
    line.key("ranks").begin_array();
    for (const int rank : slow.ranks) line.value(rank);
    line.end_array().key("slower_by").value(slow.slower_by).key("more_work").value(slow.more_work);
    w.raw(line.key("sentence").value(slow.sentence).end_object().text());
  }
  w.end_array().end_object().end_object();
}

void put_quantile(JsonWriter& w, const char* key, const TailQuantile& q) {
  JsonWriter line;
  line.begin_object().key("value").value(q.value);
  put_optional(line, "low", q.low);
  put_optional(line, "high", q.high);
  w.key(key).raw(line.end_object().text());
}

void put_tail(JsonWriter& w, const PointDetail& d) {
  w.key("tail");
  if (!d.tail) {
    w.null();
    return;
  }
  const TailSummary& t = *d.tail;
  w.begin_object().key("iterations").value(t.samples).key("mean").value(t.mean);
  put_quantile(w, "p50", t.p50);
  put_quantile(w, "p95", t.p95);
  put_quantile(w, "p99", t.p99);
  w.key("max").value(t.max).key("max_is_above").value(t.max_is_above).key("growth");
  if (d.tail_growth) {
    const TailGrowth& g = *d.tail_growth;
    JsonWriter line;
    line.begin_object().key("measured").value(g.measured).key("expected").value(g.expected);
    line.key("jitter_share").value(g.jitter_share).key("lower_bound").value(g.lower_bound);
    w.raw(line.key("sentence").value(g.sentence).end_object().text());
  } else {
    w.null();
  }
  w.end_object();
}

void put_audit(JsonWriter& w, const PointDetail& d) {
  w.key("audit");
  if (!d.audit || !d.audit->triggered) {
    w.null();
    return;
  }
  const SuperlinearAudit& a = *d.audit;
  w.begin_object().key("efficiency").value(a.efficiency);
  w.key("finding").value(to_text(a.finding, a.cause)).key("sentence").value(a.sentence);
  w.key("settle").value(a.settle).key("checks").begin_array();
  for (const AuditCheck& check : a.checks) {
    JsonWriter line;
    line.begin_object().key("question").value(check.question);
    line.key("answer").value(to_string(check.answer)).key("measure").value(check.measure);
    w.raw(line.end_object().text());
  }
  w.end_array().end_object();
}

void put_roofline(JsonWriter& w, const PointDetail& d) {
  w.key("roofline");
  if (!d.roofline) {
    w.null();
    return;
  }
  const RooflinePoint& r = *d.roofline;
  JsonWriter line;
  line.begin_object().key("intensity").value(r.intensity).key("ridge").value(r.ridge);
  line.key("attainable").value(r.attainable).key("share_of_peak").value(r.share_of_peak);
  line.key("bound").value(r.bound == Bound::memory ? "memory" : "compute").end_object();
  w.raw(line.text());
}

}  // namespace

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

void put_optional(JsonWriter& w, const char* key, const std::optional<double>& value) {
  put_if(w, key, value.has_value(), value.value_or(0));
}

void put_k(JsonWriter& w, const char* key, const std::optional<int>& k) {
  w.key(key);
  if (k) {
    w.value(*k);
  } else {
    w.null();
  }
}

void put_value(JsonWriter& w, const char* key, const char* name, const std::optional<double>& value,
               const std::optional<Interval>& interval, double scale) {
  JsonWriter line;
  line.begin_object();
  put_optional(line, name, value);
  put_if(line, "low", interval.has_value(), interval ? interval->low * scale : 0);
  put_if(line, "high", interval.has_value(), interval ? interval->high * scale : 0);
  put_if(line, "level", interval.has_value(), interval ? interval->level : 0);
  line.key("method");
  if (interval) {
    line.value(interval->method);
  } else {
    line.null();
  }
  w.key(key).raw(line.end_object().text());
}

void put_warnings(JsonWriter& w, const std::vector<Warning>& warnings) {
  w.key("warnings").begin_array();
  for (const Warning& warning : warnings) {
    JsonWriter line;
    line.begin_object().key("code").value(warning.code).key("message").value(warning.message);
    w.raw(line.end_object().text());
  }
  w.end_array();
}

void put_point_detail(JsonWriter& w, const PointDetail& d) {
  put_value(w, "local_efficiency", "value", d.local_efficiency, d.local_efficiency_interval);
  put_if(w, "results_per_second", d.results_per_second > 0, d.results_per_second);
  put_optional(w, "gustafson_speedup", d.gustafson);
  put_optional(w, "comm_ratio", d.comm_ratio);
  put_optional(w, "comm_ratio_efficiency", d.comm_ratio_efficiency);
  put_breakdown(w, d);
  put_profile(w, d);
  put_metrics(w, d);
  put_tail(w, d);
  put_roofline(w, d);
  put_optional(w, "flops_per_second", d.flops_per_second);
  put_optional(w, "utilisation", d.utilisation);
  put_audit(w, d);
}

void put_knee(JsonWriter& w, const Knee& knee) {
  JsonWriter line;
  line.begin_object().key("rule").value(knee.rule);
  put_optional(line, "floor", knee.floor);
  put_optional(line, "k", knee.k);
  put_optional(line, "low", knee.low);
  put_optional(line, "high", knee.high);
  put_k(line, "k_sure", knee.k_sure);
  put_k(line, "k_maybe", knee.k_maybe);
  line.key("status").value(knee.status).key("basis").value(knee.basis);
  line.key("open_high").value(knee.open_high);
  put_optional(line, "extrapolated", knee.extrapolated);
  w.raw(line.key("note").value(knee.note).end_object().text());
}

void put_page_curve(JsonWriter& w, const CurveView& view) {
  const CurveAnalysis& analysis = *view.analysis;
  w.key("models").begin_array();
  if (!analysis.models.fits.empty()) put_model(w, analysis.models.fits.front());
  w.end_array().key("knees").begin_array();
  for (const Knee& knee : analysis.knees.knees) {
    const bool asked = knee.rule == "efficiency" || knee.rule == view.rule;
    if (!knee.powers_of_two && asked) put_knee(w, knee);
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
      if (knee.powers_of_two == powers) put_knee(w, knee);
    }
    w.end_array();
  }
  w.key("knees_agree").value(analysis.knees.agree);
  w.key("knees_agreement").value(analysis.knees.agreement);
  w.key("sawtooth").value(analysis.knees.sawtooth);
  put_texts(w, "knee_notes", analysis.knees.notes);
  put_predictions(w, analysis.predictions);
  put_loss(w, analysis.loss);
  w.key("work_depth");
  if (analysis.work_depth) {
    JsonWriter line;
    line.begin_object().key("parallelism").value(analysis.work_depth->parallelism);
    line.key("speedup_low").value(analysis.work_depth->speedup_low);
    line.key("speedup_high").value(analysis.work_depth->speedup_high).end_object();
    w.raw(line.text());
  } else {
    w.null();
  }
  put_optional(w, "intensity", analysis.intensity);
  put_optional(w, "cores_until_memory_bound", analysis.cores_until_memory_bound);
  put_warnings(w, analysis.warnings);
}

void put_study_detail(JsonWriter& w, const StudyAnalysis& analysis) {
  if (analysis.builds) put_builds(w, *analysis.builds);
  w.key("shapes").begin_array();
  for (const ShapeContest& contest : analysis.shapes) {
    w.begin_object().key("build").value(contest.build).key("case").value(contest.case_name);
    w.key("mode").value(to_string(contest.mode)).key("entries").begin_array();
    for (const ShapeContest::Entry& e : contest.entries) {
      JsonWriter line;
      line.begin_object().key("k").value(e.k).key("cores").value(e.cores);
      line.key("winner").value(e.winner).key("runner_up").value(e.runner_up);
      line.key("ratio").value(e.ratio);
      put_if(line, "low", e.interval.has_value(), e.interval ? e.interval->low : 0);
      put_if(line, "high", e.interval.has_value(), e.interval ? e.interval->high : 0);
      w.raw(line.key("tie").value(e.tie).end_object().text());
    }
    w.end_array().end_object();
  }
  w.end_array();
  w.key("collectives").begin_array();
  for (const CollectiveAnswer& answer : analysis.collectives) {
    w.begin_object().key("case").value(answer.case_name).key("fits").begin_array();
    for (std::size_t i = 0; i < answer.model.fits.size(); ++i) {
      const AllreduceFit& fit = answer.model.fits[i];
      JsonWriter line;
      line.begin_object().key("algorithm").value(to_string(fit.algorithm));
      line.key("alpha").value(fit.cost.alpha).key("beta").value(fit.cost.beta);
      line.key("gamma").value(fit.cost.gamma).key("relative_error").value(fit.relative_error);
      line.key("plausible").value(static_cast<int>(i) < answer.model.plausible);
      w.raw(line.end_object().text());
    }
    w.end_array().key("predictions").begin_array();
    for (const AllreducePrediction& p : answer.predictions) {
      JsonWriter line;
      line.begin_object().key("time").value(p.seconds);
      put_if(line, "low", p.interval.has_value(), p.interval ? p.interval->low : 0);
      put_if(line, "high", p.interval.has_value(), p.interval ? p.interval->high : 0);
      line.key("extrapolated").value(p.extrapolated).key("sentence").value(p.sentence);
      w.raw(line.end_object().text());
    }
    w.end_array();
    put_texts(w, "notes", answer.model.notes);
    w.end_object();
  }
  w.end_array();
}

}  // namespace kneepoint
