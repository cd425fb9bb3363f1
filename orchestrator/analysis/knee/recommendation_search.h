// SPDX-License-Identifier: Apache-2.0
//
// Adaptive search for the K to recommend: which K of the scale to measure next, and how often,
// until no other K is better than the best one by more than a stated share. Pure, as the search for
// the knee is; what is best is a score that the caller gives.
#pragma once

#include <functional>

#include "orchestrator/analysis/knee/adaptive_search.h"

namespace kneepoint {

struct RecommendationRules {
  // Of a run at K that takes so long: above 0, the smaller the better, infinite where it can't be.
  std::function<double(int k, double seconds)> score;
  std::string what;      // "cost": what the score is, in words
  double within = 0.05;  // another K may be better by so much and the search still ends
  int first = 2;         // runs at a K that is looked at for the first time
  int most = 5;          // runs at a K
  std::uint64_t seed = 0;
  int replicates = 1000;
};

struct RecommendationDecision {
  std::vector<SearchStep> steps;   // K ascending; empty: the search is over
  std::string why;                 // in words, without the K and runs of `steps`
  int best = 0;                    // K with the least score so far; 0: no K has a time
  int rival = 0;                   // the K that comes nearest to it; 0: none
  double margin = 0;               // by how much the rival's score is larger, as a share
  std::optional<Bounds> interval;  // of the margin, 95%; when both have runs enough
  bool tie = false;                // the interval holds 0
};

RecommendationDecision next_recommendation_step(const SearchCurve& curve,
                                                const RecommendationRules& rules);

}  // namespace kneepoint
