// SPDX-License-Identifier: Apache-2.0
//
// Mixes for tests of sizing: workloads by Amdahl's law, and random small ones.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "orchestrator/base/random.h"
#include "orchestrator/cost/sizing.h"

namespace kneepoint {

// T = t1 (s + (1-s)/K + c log2 K) at each K; a node-hour costs 1.
inline SizingWorkload amdahl_workload(const std::string& name, double t1, double s, double c,
                                      const std::vector<int>& ks, double per_hour) {
  SizingWorkload one;
  one.name = name;
  one.per_hour = per_hour;
  for (const int k : ks) {
    const double seconds = t1 * (s + (1 - s) / k + c * std::log2(k));
    one.options.push_back(
        {k, k, seconds, {seconds}, false, std::llround(seconds * k / 3600 * 1e6)});
  }
  return one;
}

// Loads of 20% to 90% of the nodes together, deadlines from hardly feasible to wide.
inline SizingMix random_mix(int workloads, int nodes, std::uint64_t seed) {
  Random random(seed, "mix");
  SizingMix mix;
  mix.nodes = nodes;
  mix.node_hour_micros = 1'000'000;
  mix.seed = seed;
  const double load = 0.2 + 0.7 * random.uniform();
  std::vector<double> shares;
  double sum = 0;
  for (int w = 0; w < workloads; ++w) sum += shares.emplace_back(0.2 + random.uniform());
  for (int w = 0; w < workloads; ++w) {
    const double t1 = 600 * std::exp(2 * random.uniform());
    const double serial = 0.02 + 0.2 * random.uniform();
    std::vector<int> ks;
    for (int k = 1; k <= nodes; k *= 2) ks.push_back(k);
    const double per_hour = load * shares[static_cast<std::size_t>(w)] / sum * nodes * 3600 / t1;
    SizingWorkload one = amdahl_workload("w" + std::to_string(w), t1, serial, 0.005, ks, per_hour);
    one.periodic = random.below(5) == 0;
    one.spread = random.below(2) == 0 ? 0 : 0.5;
    if (random.below(5) != 0) {
      const auto at = random.below(one.options.size());
      one.deadline_seconds = one.options[at].seconds * (1 + 8 * random.uniform());
      one.in_time = random.below(2) == 0 ? 0.8 : 0.95;
    }
    mix.workloads.push_back(std::move(one));
  }
  return mix;
}

}  // namespace kneepoint
