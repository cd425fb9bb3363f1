// SPDX-License-Identifier: Apache-2.0
//
// `doctor --noise`: one build against itself on a site, several times over, and what the gate makes
// of such noise. Its studies are a series of their own, so that they are nobody's nights.
#pragma once

#include <string>

#include "orchestrator/analysis/gate/noise_calibration.h"
#include "orchestrator/base/result.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/model/baseline.h"

namespace kneepoint::cli {

inline constexpr char kNoiseEnding[] = "-noise";

struct NoiseReport {
  std::string series;                // that it is stored with
  std::vector<std::string> studies;  // ids that it was measured with
  int nights_of_series = 0;          // of them
  NoiseComponents noise;
  GateShape shape;
  GateBehaviour quiet;  // nights of one build
  std::optional<double> detectable;
  NoiseAdvice advice;
  double max_regression = 0.05, curve_effect = 0.02;  // the plan's
};

std::string noise_text(const NoiseReport& report, int width);
std::string noise_json(const NoiseReport& report);
Calibration calibration_of(const NoiseReport& report, Nanoseconds made);
// In one sentence, for the gate and for `baseline show`.
std::string calibration_words(const Calibration& calibration);
std::string calibration_json(const Calibration& calibration);  // an object

Result<int> measure_noise(Session& session, const Arguments& arguments);

}  // namespace kneepoint::cli
