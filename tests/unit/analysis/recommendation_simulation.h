// SPDX-License-Identifier: Apache-2.0
//
// Synthetic curves with a price: a node-hour and a fee for every run, so that the cheapest K lies
// inside the scale. The search for it, played round by round.
#pragma once

#include <limits>

#include "orchestrator/analysis/knee/adaptive_search.h"
#include "tests/unit/analysis/search_simulation.h"

namespace kneepoint {

struct PricedCurve {
  SyntheticCurve curve;
  double fee_rate = 0;  // an hour of the run, whatever K is: a licence, or somebody who waits
  bool by_time = false;

  double score(int k, double seconds) const { return by_time ? seconds : (k + fee_rate) * seconds; }
  double truth(int k) const { return score(k, curve.truth.at(k)); }
  double least() const {
    double best = std::numeric_limits<double>::infinity();
    for (const int k : kSearchScale) best = std::min(best, truth(k));
    return best;
  }
  RecommendationRules rules() const {
    RecommendationRules rules;
    rules.score = [*this](int k, double seconds) { return score(k, seconds); };
    rules.what = by_time ? "time" : "cost";
    rules.seed = curve.seed;
    return rules;
  }
};

// The fee is such that by Amdahl's law alone the cheapest K would be 1.5 to 60.
inline PricedCurve priced_curve(int number, double noise, bool by_time) {
  PricedCurve priced{synthetic_curve(number, noise), 0, by_time};
  Random random(30'000 + number, "fee");
  const double cheapest = 1.5 * std::pow(40, random.uniform());
  const double serial = priced.curve.truth.one;
  priced.fee_rate = cheapest * cheapest * serial / (1 - serial);
  return priced;
}

struct RecommendationEnd {
  Times times;
  std::map<int, int> runs;
  int rounds = 0;
  RecommendationDecision decision;
  std::vector<std::string> story;
};

inline RecommendationEnd play(const PricedCurve& priced, const RecommendationRules& rules) {
  RecommendationEnd end;
  for (; end.rounds < 200; ++end.rounds) {
    end.decision =
        next_recommendation_step({Mode::strong, kSearchScale, end.runs, end.times}, rules);
    end.story.push_back(to_string(end.decision.steps) + ": " + end.decision.why);
    if (end.decision.steps.empty()) break;
    for (const SearchStep& step : end.decision.steps) end.runs[step.k] += step.runs;
    end.times = measure(priced.curve, end.runs);
  }
  return end;
}

}  // namespace kneepoint
