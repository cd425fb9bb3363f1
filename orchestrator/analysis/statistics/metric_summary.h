// SPDX-License-Identifier: Apache-2.0
//
// The numbers by name that runs report besides T: of each the median over a point's valid runs with
// its interval. `time` is T itself and is not among them. They decide nothing: knees go by T.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct MetricSummary {
  std::string name, unit;
  std::string better;  // lower | higher; "": the plan does not say
  int runs = 0;        // that have it
  double median = 0;
  std::optional<Interval> interval;
  static constexpr auto fields() {
    using T = MetricSummary;
    return described(one_line, field("name", &T::name), field("unit", &T::unit),
                     field_or_null("better", &T::better), field("runs", &T::runs),
                     field("median", &T::median), fields_of(&T::interval));
  }
};

// By name; a name that comes with two units is two metrics.
std::vector<MetricSummary> metrics_of(const std::vector<const RunDetail*>& runs);

}  // namespace kneepoint
