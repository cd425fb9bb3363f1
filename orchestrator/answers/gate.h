// SPDX-License-Identifier: Apache-2.0
//
// Did this night make it worse? A study against the nights of its series: reads the store, writes
// nothing. The judgement is analysis/gate's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

// What a gate found, as the value that every form of it is written from.
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

// Without builds in turns; who measures them asks gate() again, with the report's history.
Result<GateReport> gate_study(StudyStore& store, const StudyRow& tonight);

// "one-1a2b3c4d": the series of a study.
std::string series_of(const StudyRow& study);
SeriesStudy as_series_study(const StudyRow& study);

}  // namespace kneepoint
