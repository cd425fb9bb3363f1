// SPDX-License-Identifier: Apache-2.0
//
// /metrics: the dashboard's numbers in the text format of Prometheus, read at most once in five
// seconds, however often they are scraped, and of a bounded number of series.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/server/dashboard/study_watch.h"
#include "orchestrator/server/http/web_server.h"

namespace kneepoint {

struct SeriesMetrics {
  SeriesLine series;
  StudyLine newest;
  bool is_live = false;
  std::shared_ptr<const StudyCurves> curves;
};

struct MetricValues {
  std::map<std::string, std::int64_t> studies;  // by state
  std::map<std::string, std::int64_t> runs;     // by outcome
  std::vector<SeriesMetrics> series;
  std::int64_t series_left_out = 0;  // beyond what one answer holds
  WebStats web;
  std::uint64_t wrong_tokens = 0;
};

// Pure: values in, text out.
std::string metrics_text(const MetricValues& values);

// What stands between the quotes of a label.
std::string label_text(const std::string& text);

class Metrics {
 public:
  Metrics(std::string database, StudyWatch& watch, const DashboardHooks& hooks, const Clock& clock)
      : database_(std::move(database)), watch_(watch), hooks_(hooks), clock_(clock) {}

  Result<std::string> text(const WebStats& web, std::uint64_t wrong_tokens);

 private:
  Result<void> read();

  const std::string database_;
  StudyWatch& watch_;
  const DashboardHooks& hooks_;
  const Clock& clock_;
  std::mutex mutex_;  // of what follows
  std::optional<DashboardView> view_;
  std::optional<MetricValues> values_;
  Nanoseconds until_ = 0;
};

}  // namespace kneepoint
