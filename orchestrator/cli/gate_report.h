// SPDX-License-Identifier: Apache-2.0
//
// What a gate found, as the value that every form of it is written from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/model/baseline.h"

namespace kneepoint::cli {

struct GateReport {
  std::string study, series;
  GateHistory history;
  GateAnswer answer;
  GateOptions options;
  std::vector<std::string> left_out;       // sentences: nights that don't count, and the like
  int imported = 0;                        // of the nights, from tables
  std::optional<Baseline> baseline;        // of the series, in force
  std::optional<Calibration> calibration;  // of the series, the newest
};

}  // namespace kneepoint::cli
