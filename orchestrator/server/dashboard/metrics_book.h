// SPDX-License-Identifier: Apache-2.0
//
// /metrics: read at most once in five seconds, however often it is scraped, and of a bounded number
// of series.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "orchestrator/base/clock.h"
#include "orchestrator/server/dashboard/metrics_text.h"
#include "orchestrator/server/dashboard/study_watch.h"

namespace kneepoint {

class MetricsBook {
 public:
  MetricsBook(std::string database, StudyWatch& watch, const DashboardHooks& hooks,
              const Clock& clock)
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
