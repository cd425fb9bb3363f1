// SPDX-License-Identifier: Apache-2.0
//
// kneepoint.compare/1: what `compare --json` writes. docs/reference/compare.md has the fields.
#include "orchestrator/cli/compare_text.h"
#include "orchestrator/cli/curve_words.h"

namespace kneepoint::cli {
namespace {

void put(JsonWriter& json, const char* key, const std::optional<Interval>& interval) {
  json.key(key);
  if (!interval) {
    json.null();
    return;
  }
  json.begin_object().key("low").value(interval->low).key("high").value(interval->high);
  json.key("level").value(interval->level).key("method").value(interval->method).end_object();
}

void put(JsonWriter& json, const char* key, const std::optional<double>& value) {
  json.key(key);
  value ? json.value(*value) : json.null();
}

void put(JsonWriter& json, const char* key, const std::vector<std::string>& list) {
  json.key(key).begin_array();
  for (const std::string& one : list) json.value(one);
  json.end_array();
}

void put(JsonWriter& json, const char* key, const std::vector<int>& list) {
  json.key(key).begin_array();
  for (const int one : list) json.value(one);
  json.end_array();
}

void put(JsonWriter& json, const std::vector<Difference>& differences) {
  json.key("differences").begin_array();
  for (const Difference& one : differences) {
    json.begin_object().key("what").value(one.what);
    json.key("a").value(one.a).key("b").value(one.b).end_object();
  }
  json.end_array();
}

void put(JsonWriter& json, const char* key, const ComparedSide& side,
         const std::optional<CostPoint>& cost) {
  json.key(key).begin_object();
  json.key("runs").value(side.runs).key("seconds").value(side.seconds);
  put(json, "seconds_interval", side.seconds_interval);
  json.key("efficiency").value(side.efficiency);
  put(json, "efficiency_interval", side.efficiency_interval);
  json.key("per_result_micros");
  cost ? json.value(cost->per_result.micros) : json.null();
  put(json, "per_result_interval", cost ? cost->per_result_interval : std::nullopt);
  put(json, "flags", side.flags);
  json.end_object();
}

void put(JsonWriter& json, const char* key, const KneeAnswer& knee,
         const std::optional<Knee>& range) {
  json.key(key).begin_object();
  put(json, "k", knee.k);
  json.key("where").value(knee.where);
  put(json, "low", range ? range->low : std::nullopt);
  put(json, "high", range ? range->high : std::nullopt);
  json.end_object();
}

void put(JsonWriter& json, const std::optional<BreakEvenPrice>& below) {
  json.key("break_even");
  if (!below) {
    json.null();
    return;
  }
  json.begin_object().key("per").value(to_string(below->unit)).key("micros");
  below->below ? json.value(below->below->micros) : json.null();
  put(json, "interval", below->interval);
  json.end_object();
}

void put(JsonWriter& json, const CurveComparison& curve, const ComparedCost& cost, double floor) {
  json.begin_object();
  json.key("case").value(curve.case_name).key("mode").value(to_string(curve.mode));
  json.key("build_a").value(curve.build_a).key("build_b").value(curve.build_b);
  json.key("shape").value(curve.shape).key("result").value(cost.result_name);
  const int telling = telling_point(curve, floor);
  json.key("telling_k");
  telling < 0 ? json.null() : json.value(curve.points[static_cast<std::size_t>(telling)].k);
  put(json, "knee_a", curve.knee_a, curve.knee_range_a);
  put(json, "knee_b", curve.knee_b, curve.knee_range_b);
  json.key("points").begin_array();
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const ComparedPoint& at = curve.points[i];
    json.begin_object().key("k").value(at.k);
    put(json, "a", at.a, cost.a[i]);
    put(json, "b", at.b, cost.b[i]);
    put(json, "ratio", at.ratio);
    put(json, "ratio_interval", at.interval);
    json.key("faster").value(to_string(at.faster)).key("why").value(at.why);
    put(json, cost.below[i]);
    json.end_object();
  }
  json.end_array();
  put(json, "only_a", curve.only_a);
  put(json, "only_b", curve.only_b);
  put(json, "obstacles", curve.obstacles);
  put(json, curve.differences);
  json.end_object();
}

}  // namespace

std::string compare_json(const CompareAnswer& answer) {
  JsonWriter json(2);
  json.begin_object().key("schema").value("kneepoint.compare/1").key("floor").value(answer.floor);
  json.key("studies").begin_array();
  for (const CompareStudy& study : answer.studies) {
    json.begin_object().key("study").value(study.id).key("site").value(study.site);
    json.key("backend").value(study.backend).key("currency").value(study.book.currency);
    json.key("prices").value(study.book.path).key("item").value(study.item.name);
    json.key("example").value(study.book.example);
    put_caveats(json, study.caveats);
    json.end_object();
  }
  json.end_array().key("pairs").begin_array();
  for (const ComparePair& pair : answer.pairs) {
    json.begin_object().key("a").value(answer.studies[0].id);
    json.key("b").value(answer.studies[pair.other].id);
    json.key("curves").begin_array();
    for (std::size_t i = 0; i < pair.comparison.curves.size(); ++i) {
      put(json, pair.comparison.curves[i], pair.costs[i], answer.floor);
    }
    json.end_array();
    put(json, "not_compared", pair.comparison.not_compared);
    put(json, pair.comparison.differences);
    put(json, "notes", pair.comparison.notes);
    json.key("no_money").value(pair.no_money);
    json.end_object();
  }
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli
