// SPDX-License-Identifier: Apache-2.0
//
// A study as the dashboard shows it: values read from the database, and how they are written. What
// costs time to find out (the curves) is apart from what changes often.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/store/dashboard_view.h"

namespace kneepoint {

// All that changes only when a run has ended or points were added.
struct StudyCurves {
  StudySummary summary;
  std::vector<std::string> labels;  // of its curves
  std::string headline;             // as its report has it; "": no K can be said yet
};
StudyCurves curves_of(const StudyEvidence& evidence);

struct StudyPicture {
  StudyLine line;
  bool is_live = false;  // a controller holds the lease
  std::shared_ptr<const StudyCurves> curves;
  std::optional<double> seconds_left;
  std::vector<ActiveLine> active;
  std::vector<Event> events;
};

// By how long the runs of each point took, as many at a time as run now; none: nobody works on it,
// or nothing has ended yet.
std::optional<double> seconds_left(const std::vector<PointPace>& paces, std::size_t at_once);

// The object of a study in lists; no headline: no such key.
void put_study_line(JsonWriter& json, const StudyLine& line, bool is_live,
                    const std::string& headline);
std::string to_json(const StudyPicture& picture);  // one line without its end

}  // namespace kneepoint
