// SPDX-License-Identifier: Apache-2.0
//
// What the nightly gate asks for: the plan's `gate` section, and what docs/methods.md fixes.
// Effects are shares of T.
#pragma once

namespace kneepoint {

struct GateOptions {
  double alpha = 0.025;        // of a night, over all its points, for each window
  double min_effect = 0.03;    // of a point
  double curve_alpha = 0.005;  // of a curve, for each window
  double curve_effect = 0.02;  // of a curve
  double confirm_effect = 0.015;
  double max_regression = 0.05;  // a history that can't see this on a curve is inconclusive
  double drift = 0.05;           // of a curve against the pinned baseline
  double knee_shift = 0.25;      // octaves
  double knee_floor = 0.7;       // the plan's knee.floor

  // No keys of a plan.
  double confirm_alpha = 0.01;         // builds in turns
  double confirm_curve_effect = 0.01;  // of a curve
  int least_history = 8;               // nights
  int most_history = 30;
  double least_sd = 0.003;  // of nightly log medians: nobody's nights are more alike
};

}  // namespace kneepoint
