// SPDX-License-Identifier: Apache-2.0
//
// The runs of one curve as models, knees and predictions take them: times by K, nothing else.
#pragma once

#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

// The valid runs of one K.
struct TimesAtK {
  int k = 1;
  std::vector<double> seconds;
  double work_per_worker = 1;  // weak curves only, in any unit: where it varies, E goes by work
};
using Times = std::vector<TimesAtK>;

// K ascending, runs of equal K together, K without a run left out. Refuses what no analysis can
// use: a time that is not a positive finite number, K < 1, work <= 0, no run at all, one K with two
// values of work.
Result<Times> ordered(Times times);

double median_seconds(const TimesAtK& at);
int count_runs(const Times& times);
int fewest_runs(const Times& times);  // at any K

// 1/E at each K from times there, relative to the first: K·T/(K0·T0) strong, T/T0 weak (brought to
// the same work per worker).
std::vector<double> normalised_cost(Mode mode, const Times& times,
                                    const std::vector<double>& seconds);
std::vector<double> medians(const Times& times);

}  // namespace kneepoint
