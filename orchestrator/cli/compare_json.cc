// SPDX-License-Identifier: Apache-2.0
//
// kneepoint.compare/1: what `compare --json` writes. docs/reference/compare.md has the fields.
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/compare_text.h"

namespace kneepoint::cli {
namespace {

void put_side(JsonWriter& json, const char* key, const ComparedSide& side,
              const std::optional<CostPoint>& cost) {
  json.key(key).begin_object().put("runs", side.runs).put("seconds", side.seconds);
  json.put("seconds_interval", side.seconds_interval).put("efficiency", side.efficiency);
  json.put("efficiency_interval", side.efficiency_interval).key("per_result_micros");
  cost ? json.value(cost->per_result.micros) : json.null();
  json.put("per_result_interval", cost ? cost->per_result_interval : std::nullopt);
  json.put("flags", side.flags).end_object();
}

void put_knee(JsonWriter& json, const char* key, const KneeAnswer& knee,
              const std::optional<Knee>& range) {
  json.key(key).begin_object().put("k", knee.k).put("where", knee.where());
  json.put("low", range ? range->low : std::nullopt);
  json.put("high", range ? range->high : std::nullopt).end_object();
}

void put_break_even(JsonWriter& json, const std::optional<BreakEvenPrice>& below) {
  json.key("break_even");
  if (!below) {
    json.null();
    return;
  }
  json.begin_object().put("per", below->unit).key("micros");
  below->below ? json.value(below->below->micros) : json.null();
  json.put("interval", below->interval).end_object();
}

void put_pair_curve(JsonWriter& json, const CurveComparison& curve, const ComparedCost& cost,
                    double floor) {
  json.begin_object().put("case", curve.case_name).put("mode", curve.mode);
  json.put("build_a", curve.build_a).put("build_b", curve.build_b).put("shape", curve.shape);
  json.put("result", cost.result_name).key("telling_k");
  const int telling = telling_point(curve, floor);
  telling < 0 ? json.null() : json.value(curve.points[static_cast<std::size_t>(telling)].k);
  put_knee(json, "knee_a", curve.knee_a, curve.knee_range_a);
  put_knee(json, "knee_b", curve.knee_b, curve.knee_range_b);
  json.key("points").begin_array();
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const ComparedPoint& at = curve.points[i];
    json.begin_object().put("k", at.k);
    put_side(json, "a", at.a, cost.a[i]);
    put_side(json, "b", at.b, cost.b[i]);
    json.put("ratio", at.ratio).put("ratio_interval", at.interval).put("faster", at.faster);
    json.put("why", at.why);
    put_break_even(json, cost.below[i]);
    json.end_object();
  }
  json.end_array().put("only_a", curve.only_a).put("only_b", curve.only_b);
  json.put("obstacles", curve.obstacles).put("differences", curve.differences).end_object();
}

}  // namespace

std::string compare_json(const CompareAnswer& answer) {
  JsonWriter json(2);
  json.begin_object().put("schema", "kneepoint.compare/1").put("floor", answer.floor);
  json.key("studies").begin_array();
  for (const CompareStudy& study : answer.studies) {
    json.begin_object().put("study", study.id).put("site", study.site);
    json.put("backend", study.backend).put("currency", study.book.currency);
    json.put("prices", study.book.path).put("item", study.item.name);
    json.put("example", study.book.example).put("caveats", study.caveats).end_object();
  }
  json.end_array().key("pairs").begin_array();
  for (const ComparePair& pair : answer.pairs) {
    json.begin_object().put("a", answer.studies[0].id).put("b", answer.studies[pair.other].id);
    json.key("curves").begin_array();
    for (std::size_t i = 0; i < pair.comparison.curves.size(); ++i) {
      put_pair_curve(json, pair.comparison.curves[i], pair.costs[i], answer.floor);
    }
    json.end_array().put("not_compared", pair.comparison.not_compared);
    json.put("differences", pair.comparison.differences).put("notes", pair.comparison.notes);
    json.put("no_money", pair.no_money).end_object();
  }
  return json.end_array().end_object().text();
}

}  // namespace kneepoint::cli
