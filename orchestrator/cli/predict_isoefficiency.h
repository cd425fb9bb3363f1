// SPDX-License-Identifier: Apache-2.0
//
// How the work must grow to hold an efficiency, as text and JSON. Pure;
// analysis/models/isoefficiency.h holds the three forms.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/analysis/models/isoefficiency.h"

namespace kneepoint::cli {

struct IsoLaw {
  double serial = 0, coefficient = 0;
  Growth growth = Growth::logarithmic;
};

struct IsoPoint {
  int k = 1;
  IsoAnswer replicated, fixed_serial, proportional;
};

struct IsoCurve {
  IsoLaw law;
  std::vector<IsoPoint> points;  // K = 2, 4, 8, ... and the last
};

struct IsoPrediction {
  double efficiency = 0.8;
  int to = 512;
  std::vector<IsoCurve> curves;
};

Result<IsoPrediction> predict_iso(double efficiency, int to, const std::vector<IsoLaw>& laws);
std::string iso_text(const IsoPrediction& answer, int width);
std::string iso_json(const IsoPrediction& answer);

}  // namespace kneepoint::cli
