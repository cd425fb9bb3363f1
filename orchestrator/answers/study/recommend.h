// SPDX-License-Identifier: Apache-2.0
//
// Which K to use: of every curve of a study the best one by what was asked for, and what a result
// costs there. cost/recommend.h chooses; without prices a node-hour stands for money.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cost/recommend.h"

namespace kneepoint {

struct StudyRecommendRequest {
  std::string study;  // as typed; "": the newest
  PriceChoice prices;
  RecommendRequest wanted;                 // but for its floor
  std::optional<double> floor;             // none: the study's
  std::optional<double> baseline_seconds;  // of a study that holds speedups only
  std::optional<Mode> mode;                // none: both
  std::optional<std::string> case_name;    // none: all
  bool modelled = false;                   // also K that models predict
};

struct RecommendedCurve : CostCurve {
  Recommendation choice;  // points into `points`

  static constexpr auto fields() {
    using T = RecommendedCurve;
    return described(field("build", &T::build), field("case", &T::case_name),
                     field("shape", &T::shape_name), KP_NAMED(mode, held_fixed),
                     field("result", &T::result_name), fields_of(&T::choice),
                     fields_of([](const T& one) -> const CostCurve& { return one; }));
  }
};

struct RecommendAnswer {
  std::string study;
  Prices prices;
  RecommendRequest request;
  std::vector<Caveat> caveats;
  std::vector<RecommendedCurve> curves;

  bool any() const;  // some curve has a K that does what was asked for
  static constexpr auto fields() {
    using T = RecommendAnswer;
    return described(field("schema", [](const T&) { return "kneepoint.recommend/1"; }),
                     field("study", &T::study),
                     field("objective", [](const T& one) { return one.request.objective; }),
                     fields_of(&T::prices), KP_NAMED(caveats, curves));
  }
};

Result<RecommendAnswer> recommend_study(const Context& context,
                                        const StudyRecommendRequest& request);

}  // namespace kneepoint
