// SPDX-License-Identifier: Apache-2.0
//
// A series over its nights: T of every point, the gate's verdict of each night, changes of level.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/analysis/statistics/change_points.h"
#include "orchestrator/base/json_schema.h"
#include "orchestrator/base/result.h"
#include "orchestrator/store/dashboard_view.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

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

struct SeriesNight {
  std::string study;
  Nanoseconds created_ns = 0;
  std::string verdict;  // "": it can't be judged
  bool now = false;     // judged for this answer, and not stored
  static constexpr auto fields() {
    using T = SeriesNight;
    return described(field("study", &T::study),
                     field("time", [](const T& one) { return to_utc_text(one.created_ns); }),
                     field_or_null("verdict", &T::verdict),
                     about("then: the verdict was stored; now: it was made for this answer",
                           field_or_null("judged", &T::judged)));
  }
  std::string judged() const { return verdict.empty() ? "" : now ? "now" : "then"; }
};

struct SeriesPoint {
  std::string key, workload;
  Mode mode = Mode::strong;
  int k = 1;
  std::vector<std::optional<double>> seconds;  // median T by night
  std::vector<ChangePoint> changes;            // of the level; `night` is an index of `seconds`
  KP_DESCRIBED(SeriesPoint, key, workload, mode, k, seconds, changes);
};

struct SeriesNights {
  std::string series;
  std::vector<SeriesNight> nights;  // oldest first
  std::vector<SeriesPoint> points;  // of the newest
  KP_DESCRIBED(SeriesNights, series, nights, points);
};
Result<SeriesNights> series_nights(StudyStore& store, const SeriesLine& series,
                                   JudgedNights& judged);

// Of its newest study; none: it can't be judged.
Result<std::optional<std::string>> newest_verdict(StudyStore& store, const SeriesLine& series);

}  // namespace kneepoint
