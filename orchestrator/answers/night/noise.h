// SPDX-License-Identifier: Apache-2.0
//
// How noisy a site is: one build against itself, several times over, and what the gate makes of
// such noise. The studies are a series of their own, so that they are nobody's nights.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/noise_calibration.h"
#include "orchestrator/answers/context.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/plan/yaml/problem.h"

namespace kneepoint {

inline constexpr char kNoiseEnding[] = "-noise";

struct NoiseRequest {
  std::string plan, site;  // files; site "": the usual one
  int studies = 6;         // at least two are taken
};

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
Calibration calibration_of(const NoiseReport& report, Nanoseconds made);

struct NoiseAnswer {
  std::optional<NoiseReport> report;  // none: a study did not end well, or the plan has problems
  std::vector<Problem> problems;
};

// Runs the plan once more under its name with kNoiseEnding, or goes on with a study begun since
// then. The id of the study; "": it did not end well, which was said. `number`: which study it is;
// 0: nobody knows yet.
using RunNoiseStudy = std::function<Result<std::string>(Nanoseconds since, int number)>;

// Has the studies run that are missing, and keeps what they tell with the plan's own series.
Result<NoiseAnswer> measure_noise(const Context& context, const NoiseRequest& request,
                                  const RunNoiseStudy& run);

}  // namespace kneepoint
