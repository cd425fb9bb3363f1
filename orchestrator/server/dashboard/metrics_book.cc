// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/server/dashboard/metrics_book.h"

namespace kneepoint {
namespace {

constexpr int kMostMetricSeries = 1000;
constexpr std::size_t kMostShown = 50;
constexpr Nanoseconds kKept = 5 * kSecond;

}  // namespace

Result<void> MetricsBook::read() {
  if (!view_) {
    TRY_ASSIGN(DashboardView view, DashboardView::open(database_));
    view_.emplace(std::move(view));
  }
  MetricValues values;
  TRY_ASSIGN(values.studies, view_->studies_by_state());
  TRY_ASSIGN(values.runs, view_->runs_by_outcome());
  TRY_ASSIGN(const std::vector<SeriesLine> series, view_->series(kMostMetricSeries));
  for (const SeriesLine& one : series) {
    if (values.series.size() == kMostShown) {
      ++values.series_left_out;
      continue;
    }
    const auto line = view_->study(one.newest);
    const auto curves = watch_.curves(one.newest);
    if (!line || !curves) continue;  // deleted meanwhile
    values.series.push_back({one, *line, line->lease && hooks_.is_live(*line->lease), *curves});
  }
  values_ = std::move(values);
  until_ = clock_.steady() + kKept;
  return {};
}

Result<std::string> MetricsBook::text(const WebStats& web, std::uint64_t wrong_tokens) {
  const std::lock_guard lock(mutex_);
  if (!values_ || clock_.steady() >= until_) TRY(read());
  values_->web = web;
  values_->wrong_tokens = wrong_tokens;
  return metrics_text(*values_);
}

}  // namespace kneepoint
