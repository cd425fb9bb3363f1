// SPDX-License-Identifier: Apache-2.0
//
// Studies whose runs are separate jobs on nodes drawn at random, one of which may be slow. Seeded.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "orchestrator/base/random.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct Cluster {
  int nodes = 16;
  std::vector<int> points = {1, 2, 4, 8};
  int repeats = 5;
  double noise = 0.02;
  int bad = -1;  // index of a node, -1: none
  double slowdown = 0.1;
};

inline std::string name(int node) {
  return "n" + std::to_string(node + 1);
}

// Each run is a job of its own on nodes drawn at random.
inline StudyEvidence simulate(const Cluster& cluster, std::uint64_t seed) {
  Random random(seed, "simulated placement");
  StudyEvidence evidence;
  for (const int k : cluster.points) {
    PointEvidence& point = evidence.points.emplace_back();
    point.point.k = k;
    for (int repeat = 0; repeat < cluster.repeats; ++repeat) {
      std::vector<int> all(static_cast<std::size_t>(cluster.nodes));
      std::iota(all.begin(), all.end(), 0);
      RunEvidence run;
      run.repeat = repeat;
      run.state = AttemptState::succeeded;
      run.seconds = 100.0 / k * std::exp(cluster.noise * random.normal());
      for (int i = 0; i < k; ++i) {
        const auto at = static_cast<std::size_t>(
            i + static_cast<int>(random.uniform() * (cluster.nodes - i)) % (cluster.nodes - i));
        std::swap(all[static_cast<std::size_t>(i)], all[at]);
        const int node = all[static_cast<std::size_t>(i)];
        run.hosts += (run.hosts.empty() ? "" : ",") + name(node);
        if (node == cluster.bad) run.seconds *= 1 + cluster.slowdown;
      }
      point.runs.push_back(run);
    }
  }
  return evidence;
}

}  // namespace kneepoint
