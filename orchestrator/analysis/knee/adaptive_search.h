// SPDX-License-Identifier: Apache-2.0
//
// Adaptive search for the knee of one curve: which K of the plan's scale to measure next, and how
// often. Pure: the same runs give the same decision, so that a search that was killed goes on as if
// it had not been. It never leaves the scale and never asks for more than `most` runs at a K.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/times.h"

namespace kneepoint {

// From so many runs on the interval of a median has its level; fewer never end a search.
constexpr int kRunsForAnInterval = 5;

struct SearchRules {
  double floor = 0.7;   // of efficiency: the knee is where E falls to it
  double within = 0.1;  // half of the interval's width over the knee to stop at
  int first = 2;        // runs at a K that is looked at for the first time
  int most = 5;         // runs at a K
  std::uint64_t seed = 0;
  int replicates = 1000;
};

struct SearchCurve {
  Mode mode = Mode::strong;
  std::vector<int> scale;    // K of the plan, ascending
  std::map<int, int> asked;  // runs there are at a K, whatever became of them
  Times times;               // the valid ones, as ordered() gives them

  int asked_at(int k) const;
  bool has_times(int k) const;
};

// Which K of the scale a search may still measure: those with times and those never asked for.
struct SearchReach {
  explicit SearchReach(const SearchCurve& curve);
  // The next doubling of the largest K measured; 0: there is none.
  int above(int largest) const;

  std::vector<int> ks;        // ascending
  std::optional<int> cut_at;  // has no valid time although asked for: there is no way up
};

struct SearchStep {
  int k = 1;
  int runs = 1;  // more than there are
};

struct SearchInterval {
  double low = 0, high = 0;
  bool open_high = false;  // beyond the largest K measured
};

struct SearchDecision {
  std::vector<SearchStep> steps;  // K ascending; empty: the search is over
  std::string why;                // in words, without the K and runs of `steps`
  std::optional<double> knee;     // by the runs so far; none: beyond the K measured, or no runs
  std::optional<SearchInterval> interval;  // when there are runs enough
};

SearchDecision next_step(const SearchCurve& curve, const SearchRules& rules);

// The first K and every doubling of it that the scale has (or the K next below).
std::vector<int> doublings(const std::vector<int>& scale);

// K·T by the runs there are: interpolated between the K measured, and as the last two go on beyond
// them. Node-hours of a run, up to the nodes of one worker. `times` is not empty.
double expected_work(const Times& times, int k);

// The next rung above n: 5, 7, 10, 14, 20, 28...
int next_rung(int n);

// "K=24 x 2, K=1 x 3"
std::string to_string(const std::vector<SearchStep>& steps);

// ---- Adaptive search for the K to recommend: measured until no other K is better than the best
// one by more than a stated share. What is best is a score that the caller gives.

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
