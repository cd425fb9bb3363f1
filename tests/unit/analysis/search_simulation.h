// SPDX-License-Identifier: Apache-2.0
//
// Synthetic curves, and the adaptive search played against them round by round. Run r at K takes
// the same time whoever asks for it, so that the search measures a part of what the grid measures.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "orchestrator/analysis/knee/adaptive_search.h"
#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/base/random.h"

namespace kneepoint {

const std::vector<int> kSearchScale = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};

struct SyntheticCurve {
  Coefficients truth;
  double noise = 0.03;
  std::uint64_t seed = 1;
  Mode mode = Mode::strong;

  double run(int k, int repeat) const {
    Random random(seed, "K" + std::to_string(k) + " r" + std::to_string(repeat));
    return truth.at(k) * std::exp(noise * random.normal());
  }
};

// Serial share 0.2% to 20%, and in turn nothing, a logarithmic or a linear term of communication.
inline SyntheticCurve synthetic_curve(int number, double noise) {
  Random random(20'000 + number, "curve");
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, random.uniform());
  };
  SyntheticCurve curve;
  const double serial = between(0.002, 0.2);
  curve.truth.one = serial;
  curve.truth.inverse_k = 1 - serial;
  if (number % 3 == 1) curve.truth.log2_k = between(0.0003, 0.02);
  if (number % 3 == 2) curve.truth.k_minus_1 = between(1e-6, 1e-3);
  curve.noise = noise;
  curve.seed = 90'000 + static_cast<std::uint64_t>(number);
  return curve;
}

inline Times measure(const SyntheticCurve& curve, const std::map<int, int>& runs) {
  Times times;
  for (const auto& [k, count] : runs) {
    TimesAtK at{.k = k};
    for (int r = 0; r < count; ++r) at.seconds.push_back(curve.run(k, r));
    if (count > 0) times.push_back(at);
  }
  return times;
}

inline double work_of(const Times& times) {
  double sum = 0;
  for (const TimesAtK& at : times) {
    for (const double t : at.seconds) sum += at.k * t;
  }
  return sum;
}

struct SearchEnd {
  Times times;
  std::map<int, int> runs;
  int rounds = 0;
  std::string why;
  std::vector<std::string> story;
};

inline SearchEnd play(const SyntheticCurve& curve, const SearchRules& rules) {
  SearchEnd end;
  for (; end.rounds < 200; ++end.rounds) {
    const SearchDecision decision =
        next_step({curve.mode, kSearchScale, end.runs, end.times}, rules);
    end.story.push_back(to_string(decision.steps) + ": " + decision.why);
    end.why = decision.why;
    if (decision.steps.empty()) break;
    for (const SearchStep& step : decision.steps) end.runs[step.k] += step.runs;
    end.times = measure(curve, end.runs);
  }
  return end;
}

}  // namespace kneepoint
