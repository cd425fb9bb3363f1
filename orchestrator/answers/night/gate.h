// SPDX-License-Identifier: Apache-2.0
//
// Did this night make it worse? A study against the nights of its series. The judgement is
// analysis/gate's.
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

// The study that is meant, or without words the newest that is a night: one of two builds in turns
// is none.
Result<StudyRow> find_night(StudyStore& store, const std::string& words);

// Without builds in turns, which confirm.h measures. Writes nothing.
Result<GateReport> gate_study(StudyStore& store, const StudyRow& tonight);

// Keeps the verdict, with the line that the gate's text ends with.
Result<void> remember_verdict(StudyStore& store, const GateReport& report, const std::string& line,
                              Nanoseconds now);

// "one-1a2b3c4d": the series of a study.
std::string series_of(const StudyRow& study);
SeriesStudy as_series_study(const StudyRow& study);

}  // namespace kneepoint
