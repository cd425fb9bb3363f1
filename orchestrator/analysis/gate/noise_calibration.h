// SPDX-License-Identifier: Apache-2.0
//
// How noisy a site is, from one build measured against itself: what repeats, nights and nodes each
// add to log T (variance components), and what the gate then does with them, by simulation. Says
// which parts the runs at hand can't tell apart. Pure and seeded; docs/methods.md has the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/gate.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct NoiseRun {
  int point = 0, night = 0;
  std::string nodes;  // the set it ran on; "": not known
  double log_seconds = 0;
};
// The valid runs of studies of one plan, a night each, by the points of the first.
std::vector<NoiseRun> noise_runs(const std::vector<StudyEvidence>& studies);

// Standard deviations of log T, which are shares of T as long as they are small. None: the runs
// can't tell, and `untold` says why.
struct NoiseComponents {
  double repeat_sd = 0;
  std::optional<double> common_night_sd;  // of a night, at all points alike
  std::optional<double> point_night_sd;   // of a night, at one point
  std::optional<double> node_sd;          // of a set of nodes
  int runs = 0, points = 0, nights = 0, node_sets = 0;
  std::vector<std::string> untold;  // sentences

  std::optional<double> night_sd() const;  // both parts
  KP_DESCRIBED(NoiseComponents, runs, points, nights, node_sets, repeat_sd, common_night_sd,
               point_night_sd, node_sd, untold);
};
// Needs at least two runs at some point in some night.
std::optional<NoiseComponents> estimate_noise(const std::vector<NoiseRun>& runs);

// What the gate looks at on a night.
struct GateShape {
  std::vector<int> curve_points;  // how many points each curve has
  int repeats = 5;
  int history = 20;
};
struct GateBehaviour {
  int nights = 0;
  double suspect = 0, regressed = 0, inconclusive = 0, pass = 0;  // shares of them
};
// Nights of such noise, each after a quiet history of its own; tonight all points take
// 1 + `slowdown` times as long. What is not known counts as 0.
GateBehaviour simulate_gate(const NoiseComponents& noise, const GateShape& shape,
                            const GateOptions& options, double slowdown, int nights,
                            std::uint64_t seed);

// The least slowdown of all points that is SUSPECT or worse on its first night in four of five
// cases, to a thousandth; none: not even 100% is.
std::optional<double> simulated_detectable(const NoiseComponents& noise, const GateShape& shape,
                                           const GateOptions& options, int nights,
                                           std::uint64_t seed);

// The fewest repeats, then the shortest history, with which a curve's own test would show
// max_regression in four of five nights.
struct NoiseAdvice {
  int repeats = 0, history = 0;
  double detectable = 0;
  bool reachable = false;  // false: not with 20 repeats and 30 nights, which the numbers are of
  KP_DESCRIBED(NoiseAdvice, repeats, history, detectable, reachable);
};
NoiseAdvice advise_effort(const NoiseComponents& noise, const GateShape& shape,
                          const GateOptions& options);

}  // namespace kneepoint
