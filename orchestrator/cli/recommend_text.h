// SPDX-License-Identifier: Apache-2.0
//
// The answer of `recommend` as people and programs read it. Words first, then the table.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/cost/recommend.h"

namespace kneepoint::cli {

struct RecommendAnswer {
  std::string study;
  PriceBook book;
  PriceItem item;
  RecommendRequest request;
  std::vector<Caveat> caveats;
  std::vector<CostCurve> curves;
  std::vector<Recommendation> choices;  // beside them
};

std::string recommend_text(const RecommendAnswer& answer, int width);
std::string recommend_json(const RecommendAnswer& answer);

}  // namespace kneepoint::cli
