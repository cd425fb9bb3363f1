// SPDX-License-Identifier: Apache-2.0
//
// What a report says of money: a sentence and a table per curve, the same for every writer. Without
// prices there is no such section.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/prices.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/cost/cost_curve.h"
#include "orchestrator/report/tables/detail_tables.h"

namespace kneepoint {

struct CostReport : Prices {
  std::vector<CostCurve> curves;       // by these prices
  std::vector<std::string> sentences;  // beside them
};

CostReport make_cost_report(const StudyAnalysis& analysis, Prices prices,
                            std::vector<CostCurve> curves);

inline constexpr char kExamplePrices[] =
    "These prices are EXAMPLES, not what anybody charges today.";

// "prices: c-large of prices.yaml".
std::string priced_words(const Prices& prices);
// "Prices: c-large of prices.yaml, valid from 2026-01-01. These prices are EXAMPLES, ...".
std::string prices_line(const Prices& prices);

// One row per K; `marked` has a ">" before it.
TextTable cost_table(const CostCurve& curve, std::optional<int> marked);
std::vector<TextTable> cost_tables(const CostReport& cost, const std::vector<CurveView>& views);

// An amount to three digits, and its interval: "[0.52, 0.61]", or "[-]".
std::string amount_text(double units);
std::string amount_bounds(const std::optional<Interval>& interval);

// "cost": null without prices; whole, or what a page computes from.
void put_cost(JsonWriter& w, const std::optional<CostReport>& cost, bool whole);

}  // namespace kneepoint
