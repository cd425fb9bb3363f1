// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/valid_runs.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {

bool counts(const RunEvidence& run) {
  return run.state == AttemptState::succeeded && run.seconds > 0 && std::isfinite(run.seconds);
}

bool counts_on(const CurveMembers& curve, const RunEvidence& run) {
  return counts(run) && (!curve.runs_with || run.provenance == *curve.runs_with);
}

std::vector<const RunEvidence*> valid_runs(const CurveMembers& curve, const PointEvidence& point) {
  std::vector<const RunEvidence*> runs;
  for (const RunEvidence& run : point.runs) {
    if (counts_on(curve, run)) runs.push_back(&run);
  }
  return runs;
}

std::vector<double> valid_seconds(const CurveMembers& curve, const PointEvidence& point) {
  std::vector<double> seconds;
  for (const RunEvidence& run : point.runs) {
    if (counts_on(curve, run)) seconds.push_back(run.seconds);
  }
  return seconds;
}

std::vector<std::string> unusable_times(const CurveMembers& curve, const StudyEvidence& evidence) {
  std::vector<std::string> sentences;
  for (const int i : curve.points) {
    const PointEvidence& point = evidence.points[i];
    for (const RunEvidence& run : point.runs) {
      if (run.state != AttemptState::succeeded || counts(run)) continue;
      const std::string value = std::isnan(run.seconds)   ? "not a number"
                                : std::isinf(run.seconds) ? "infinite"
                                                          : number_text(run.seconds) + " s";
      sentences.push_back("run r" + std::to_string(run.number) +
                          " at K=" + std::to_string(point.point.k) + ": its time is " + value +
                          "; times are positive and finite, so it enters no number");
    }
  }
  return sentences;
}

const RunDetail* detail_of(const PointEvidence& point, const RunEvidence& run) {
  // Both are by repeat, and runs that failed have no detail: it is at its repeat or a bit before.
  const auto& details = point.details;
  auto past = static_cast<std::ptrdiff_t>(details.size());
  past = std::clamp<std::ptrdiff_t>(run.repeat + 1, 0, past);
  const auto mine = [&](const RunDetail& detail) { return detail.number == run.number; };
  for (std::ptrdiff_t i = past; i-- > 0;) {
    if (mine(details[static_cast<std::size_t>(i)])) return &details[static_cast<std::size_t>(i)];
  }
  const auto found = std::find_if(details.begin() + past, details.end(), mine);
  return found == details.end() ? nullptr : &*found;
}

}  // namespace kneepoint
