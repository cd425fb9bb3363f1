// SPDX-License-Identifier: Apache-2.0
//
// A value that is no finite number is no value.
#include "orchestrator/analysis/statistics/metric_summary.h"

#include <cmath>
#include <map>
#include <utility>

#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {

std::vector<MetricSummary> metrics_of(const std::vector<const RunDetail*>& runs) {
  struct Values {
    std::string better;
    std::vector<double> values;
  };
  std::map<std::pair<std::string, std::string>, Values> known;
  for (const RunDetail* run : runs) {
    for (const Metric& metric : run->metrics) {
      if (metric.name == "time" || !std::isfinite(metric.value)) continue;
      Values& one = known[{metric.name, metric.unit}];
      if (!metric.better.empty()) one.better = metric.better;
      one.values.push_back(metric.value);
    }
  }
  std::vector<MetricSummary> summaries;
  for (auto& [key, one] : known) {
    MetricSummary& summary = summaries.emplace_back();
    summary.name = key.first;
    summary.unit = key.second;
    summary.better = one.better;
    summary.runs = static_cast<int>(one.values.size());
    summary.interval = median_interval(one.values);
    summary.median = median(std::move(one.values));
  }
  return summaries;
}

}  // namespace kneepoint
