// SPDX-License-Identifier: Apache-2.0
//
// Times for tests of models, knees and predictions: the reference's curves, exact ones and noisy
// ones from a seed.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/random.h"
#include "tests/unit/analysis/reference.h"

namespace kneepoint {

inline const std::vector<int> kPowersTo128 = {1, 2, 4, 8, 16, 32, 64, 128};

inline std::vector<int> powers_to(int largest) {
  std::vector<int> ks;
  for (int k = 1; k <= largest; k *= 2) ks.push_back(k);
  return ks;
}

inline Times reference_curve(const std::string& name) {
  const nlohmann::json reference = read_reference("models.json");
  Times times;
  for (const auto& row : reference.at("curves").at(name)) {
    times.push_back({.k = row.at(0), .seconds = {row.at(1).get<double>()}});
  }
  return ordered(times).value();
}

inline Times exact_times(const Coefficients& truth, const std::vector<int>& ks, int repeats = 1) {
  Times times;
  for (const int k : ks) times.push_back({k, std::vector<double>(repeats, truth.at(k))});
  return times;
}

// Log-normal noise of the given deviation.
inline Times noisy_times(const Coefficients& truth, const std::vector<int>& ks, int repeats,
                         double sigma, Random& random) {
  Times times = exact_times(truth, ks, repeats);
  for (TimesAtK& at : times) {
    for (double& t : at.seconds) t *= std::exp(sigma * random.normal());
  }
  return times;
}

inline Coefficients amdahl_log(double s, double c) {
  return {.one = s, .inverse_k = 1 - s, .log2_k = c};
}

inline Coefficients usl(double alpha, double beta) {
  return {.one = alpha, .inverse_k = 1 - alpha, .k_minus_1 = beta};
}

}  // namespace kneepoint
