// SPDX-License-Identifier: Apache-2.0
//
// The ladder of run counts grows by about 1.4, which halves the variance every two rungs without
// looking at the data too often.
#include "orchestrator/engine/rounds.h"

#include <algorithm>
#include <map>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/knee/adaptive_search.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/plan/plan/builds.h"
#include "orchestrator/plan/plan/matrix.h"

namespace kneepoint {
Round first_of(const Study& study) {
  if (study.plan.search.adaptive) return search_round(study, StudyEvidence{}, 0);
  return Round{0, first_round(study), "", {}, ""};
}

std::string evidence_hash(const StudyEvidence& evidence) {
  std::string text;
  for (const PointEvidence& point : evidence.points) {
    text += point.point.key() + "\n";
    for (const RunEvidence& run : point.runs) {
      text += std::to_string(run.repeat) + " " + to_string(run.state) + " " +
              json_number(run.seconds) + "\n";
    }
  }
  return sha256_hex(text).substr(0, 16);
}

std::optional<Round> next_round(const Study& study, const StudyEvidence& evidence, int last_round,
                                const PriceItem* price) {
  if (study.plan.search.adaptive) {
    Round round = search_round(study, evidence, last_round + 1, price);
    if (round.runs.empty()) return std::nullopt;
    return round;
  }
  const Repeat& repeat = study.plan.repeat;
  if (repeat.until_efficiency_ci <= 0 || repeat.max <= repeat.min) return std::nullopt;

  std::map<std::string, int> index_of;  // in the study
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    index_of[study.points[i].key()] = static_cast<int>(i);
  }
  const std::vector<double> half_widths = efficiency_half_widths(evidence);

  // More runs where the interval is too wide, and at the baseline that its width comes from too:
  // the smallest K with data on each curve.
  std::map<int, int> wanting;  // index in the study -> runs there are
  const auto want = [&](int point) {
    const auto found = index_of.find(evidence.points[point].point.key());
    if (found == index_of.end()) return;  // an earlier version of the plan had it
    wanting[found->second] = static_cast<int>(evidence.points[point].runs.size());
  };
  for (const CurveMembers& curve : group_curves(evidence)) {
    int baseline = -1;
    for (const int point : curve.points) {
      if (valid_runs(curve, evidence.points[point]).empty())
        continue;  // more of the same won't help
      if (baseline < 0) {
        baseline = point;
      } else if (!(half_widths[point] <= repeat.until_efficiency_ci)) {
        want(point);
        want(baseline);
      }
    }
  }

  // Builds are compared in pairs: what one wants the other gets too.
  if (!study.plan.builds.empty()) {
    const std::vector<int> others = partners(study);
    for (const PointEvidence& point : evidence.points) {
      const auto found = index_of.find(point.point.key());
      if (found == index_of.end()) continue;
      const int other = others[static_cast<std::size_t>(found->second)];
      if (other >= 0 && wanting.contains(other)) {
        wanting.try_emplace(found->second, static_cast<int>(point.runs.size()));
      }
    }
  }

  // One block structure per rung, so that points with the same count stay interleaved.
  Round round{last_round + 1, {}, evidence_hash(evidence), {}, ""};
  std::map<std::pair<int, int>, std::vector<int>> by_span;
  for (const auto& [i, have] : wanting) {
    const int to = std::min(repeat.max, next_rung(have));
    if (to > have) by_span[{have, to}].push_back(i);
  }
  for (const auto& [span, points] : by_span) {
    const std::vector<Run> runs =
        interleave(study, points, span.first, span.second, study.plan.seed + round.number);
    round.runs.insert(round.runs.end(), runs.begin(), runs.end());
  }
  if (round.runs.empty()) return std::nullopt;
  round.reasons.push_back(std::to_string(round.runs.size()) +
                          " more runs where the interval of the efficiency is too wide");
  return round;
}

}  // namespace kneepoint
