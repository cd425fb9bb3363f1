// SPDX-License-Identifier: Apache-2.0
//
// Two or more studies of one plan against each other: analysis/comparison.h compares the times, the
// prices of each study say what a result costs. The first study is A; every other one is compared
// with it. Without prices a node-hour of A stands for money.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/comparison/comparison.h"
#include "orchestrator/answers/context.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/cost/billing.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

// As typed, none or "" for what was not said.
struct CompareRequest {
  std::vector<std::string> studies;  // A first; ids, unique prefixes or names
  std::string prices, items;         // as prices_of_studies() takes them
  std::optional<double> floor;       // none: A's
  std::optional<Mode> mode;          // none: both
  std::optional<std::string> case_name;
};

struct CompareStudy {
  std::string id, site, backend;
  std::vector<Caveat> caveats;
  Prices prices;
  static constexpr auto fields() {
    using T = CompareStudy;
    return described(field("study", &T::id), KP_NAMED(site, backend),
                     fields_of([](const T& one) { return one.prices.names(); }),
                     field("caveats", &T::caveats));
  }
};

// `cost`: none: no times, so no prices.
struct PricedSide : PointSummary {
  std::optional<CostPoint> cost;
  static constexpr auto fields() {
    using T = PricedSide;
    return described(
        field("runs", &T::valid),
        KP_NAMED(seconds, seconds_interval, efficiency, efficiency_interval),
        field(
            "per_result_micros",
            [](const T& one) { return one.cost ? micros_of(one.cost->per_result) : std::nullopt; }),
        field("per_result_interval",
              [](const T& one) { return one.cost ? one.cost->per_result_interval : std::nullopt; }),
        field("flags", &T::flags));
  }
};

struct PricedPoint : ComparedPoint {
  std::optional<CostPoint> cost_a, cost_b;
  std::optional<BreakEvenPrice> below;  // none: T is not comparable there
  static constexpr auto fields() {
    using T = PricedPoint;
    return described(field("k", &T::k),
                     field("a",
                           [](const T& at) {
                             return PricedSide{at.a, at.cost_a};
                           }),
                     field("b",
                           [](const T& at) {
                             return PricedSide{at.b, at.cost_b};
                           }),
                     field("ratio", &T::ratio), field("ratio_interval", &T::interval),
                     KP_NAMED(faster, why), field("break_even", &T::below));
  }
};

struct ComparedKnee {
  std::optional<double> k;
  std::string where;
  std::optional<double> low, high;
  bool open_high = false;
  KP_DESCRIBED(ComparedKnee, k, where, low, high);
};

struct PricedComparison : CurveComparison {
  std::string result_name;
  std::optional<int> telling_k;            // that the words are about; none: no T was compared
  std::vector<PricedPoint> priced_points;  // `points` with their prices

  ComparedKnee knee_of(bool b) const;
  const PricedPoint* telling() const;  // nullptr: none
  static constexpr auto fields() {
    using T = PricedComparison;
    return described(field("case", &T::case_name), KP_NAMED(mode, build_a, build_b, shape),
                     field("result", &T::result_name), field("telling_k", &T::telling_k),
                     field("knee_a", [](const T& one) { return one.knee_of(false); }),
                     field("knee_b", [](const T& one) { return one.knee_of(true); }),
                     field("points", &T::priced_points),
                     KP_NAMED(only_a, only_b, obstacles, differences));
  }
};

struct ComparePair {
  CompareStudy a, b;
  std::vector<PricedComparison> curves;
  std::vector<std::string> not_compared;  // as StudyComparison has them
  std::vector<Difference> differences;
  std::vector<std::string> notes;
  bool compared = false;  // some T was
  std::string no_money;   // why costs can't be set against each other; "": they can
  static constexpr auto fields() {
    using T = ComparePair;
    return described(field("a", [](const T& one) { return one.a.id; }),
                     field("b", [](const T& one) { return one.b.id; }),
                     KP_NAMED(curves, not_compared, differences, notes, no_money));
  }
};

struct CompareAnswer {
  static constexpr const char* kSchema = "Comparison";
  double floor = 0.7;
  bool priced = false;                // by a price book; else in node-hours
  std::vector<CompareStudy> studies;  // A first
  std::vector<ComparePair> pairs;
  std::vector<Problem> problems;  // of a price book; nothing was compared then

  bool any() const;  // some T was compared
  static constexpr auto fields() {
    using T = CompareAnswer;
    return described(field("schema", [](const T&) { return "kneepoint.compare/1"; }),
                     KP_NAMED(floor, studies, pairs));
  }
};

Result<CompareAnswer> compare(const Context& context, const CompareRequest& request);

}  // namespace kneepoint
