// SPDX-License-Identifier: Apache-2.0
//
// What the files of the gate share; nobody else includes it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "orchestrator/analysis/gate/gate.h"

namespace kneepoint {

struct CurveNights {
  std::string name;
  std::vector<std::size_t> points;  // of the series, those measured tonight
};

// The mean over these points of the series, of the nights up to `last` that have them all. Empty:
// `last` has not. `which`: gets those nights.
std::vector<double> nights_of(const std::vector<GateSeries>& series,
                              const std::vector<std::size_t>& points, std::size_t last,
                              std::vector<std::size_t>* which = nullptr);

// The lower end of a 90% interval of the true deviation, as a share of the one seen.
double deviation_at_least(int history);

// turns.cc
void confirm(const std::vector<GateSeries>& series, const std::vector<ConfirmedPoint>& turns,
             const GateOptions& options, GateAnswer& answer);

// night_test.cc
std::vector<BaselineRatio> baseline_ratios(const std::vector<GateSeries>& series,
                                           const GateOptions& options);
std::vector<Drift> find_drifts(const std::vector<GateSeries>& series,
                               const std::vector<CurveNights>& curves, std::size_t last,
                               const GateOptions& options);

// knee.cc
std::vector<KneeShift> find_knee_shifts(const std::vector<GateSeries>& series,
                                        const std::vector<CurveNights>& curves,
                                        const GateOptions& options);
// The same of builds in turns: is the knee of the candidate another one?
void confirm_knees(const std::vector<GateSeries>& series, const std::vector<ConfirmedPoint>& turns,
                   const GateOptions& options, std::vector<KneeShift>& shifts);

// verdict.cc
// By the tests alone; `surely`: the least change that these nights may let slip.
void decide(const GateOptions& options, bool turns, double surely, GateAnswer& answer);
// What the least able of the curves lacks.
void add_needs(const std::vector<GateSeries>& series, const std::vector<CurveNights>& curves,
               const GateOptions& options, GateAnswer& answer);
bool is_failed(const std::vector<GateSeries>& series, GateAnswer& answer);
// A step that was dated and is still there is no calmer for having happened some nights ago, when
// the nights after it have become part of the history.
void hold_on_to_steps(const GateHistory& history, const GateOptions& options, GateAnswer& answer);
// A study that is not finished, or ran elsewhere than the night before.
void judge_study(const GateHistory& history, GateAnswer& answer);

}  // namespace kneepoint
