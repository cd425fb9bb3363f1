// SPDX-License-Identifier: Apache-2.0
//
// A series over its nights: T of every point, the gate's verdict of each night, changes of level.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "orchestrator/base/result.h"
#include "orchestrator/store/dashboard_view.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

// Verdicts of nights that nobody had judged, by study and when it was begun: judged once, as a gate
// would have been asked once. Several threads may ask at a time.
class JudgedNights {
 public:
  // None: it can't be judged.
  std::optional<std::string> verdict(StudyStore& store, const StudyRow& night);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, Nanoseconds>, std::optional<std::string>> known_;
};

// The object of GET /api/v1/series/{id}; docs/reference/api.md.
Result<std::string> series_json(StudyStore& store, const SeriesLine& series, JudgedNights& judged);

// Of its newest study; none: it can't be judged.
Result<std::optional<std::string>> newest_verdict(StudyStore& store, const SeriesLine& series);

}  // namespace kneepoint::cli
