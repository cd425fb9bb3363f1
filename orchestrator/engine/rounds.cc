// SPDX-License-Identifier: Apache-2.0
//
// The ladder of run counts grows by about 1.4, which halves the variance every two rungs without
// looking at the data too often.
#include "orchestrator/engine/rounds.h"

#include <algorithm>
#include <map>
#include <set>

#include "orchestrator/analysis/summary.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/plan/matrix.h"

namespace kneepoint {
namespace {

// The next rung above n: 5, 7, 10, 14, 20, 28...
int next_rung(int n) {
  for (const int rung : {5, 7, 10, 14, 20, 28, 40, 56, 80, 112}) {
    if (rung > n) return rung;
  }
  return n + n / 2;
}

int valid_runs(const PointEvidence& point) {
  return static_cast<int>(std::count_if(
      point.runs.begin(), point.runs.end(),
      [](const RunEvidence& run) { return run.finished && run.state == AttemptState::succeeded; }));
}

// Points that share a baseline.
std::string curve_of(const Point& p) {
  return p.build + "\n" + p.case_name + "\n" + to_string(p.mode) + "\n" +
         std::to_string(p.shape.threads_per_rank) + "\n" + std::to_string(p.shape.gpus_per_node);
}

}  // namespace

Round first_of(const Study& study) {
  return Round{0, first_round(study), ""};
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

std::optional<Round> next_round(const Study& study, const StudyEvidence& evidence, int last_round) {
  const Repeat& repeat = study.plan.repeat;
  if (repeat.until_efficiency_ci <= 0 || repeat.max <= repeat.min) return std::nullopt;

  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    by_key[evidence.points[i].point.key()] = i;
  }
  const std::vector<double> half_widths = efficiency_half_widths(evidence);

  // The smallest K with data on each curve is the baseline.
  std::map<std::string, int> baseline;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const auto found = by_key.find(study.points[i].key());
    if (found == by_key.end() || valid_runs(evidence.points[found->second]) == 0) continue;
    const auto [entry, is_new] = baseline.try_emplace(curve_of(study.points[i]), i);
    if (!is_new && study.points[i].k < study.points[entry->second].k) {
      entry->second = static_cast<int>(i);
    }
  }

  std::set<int> wanting;
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const auto found = by_key.find(study.points[i].key());
    if (found == by_key.end()) continue;
    const auto base = baseline.find(curve_of(study.points[i]));
    if (base == baseline.end() || base->second == static_cast<int>(i)) continue;
    if (valid_runs(evidence.points[found->second]) == 0) continue;  // more of the same won't help
    if (!(half_widths[found->second] <= repeat.until_efficiency_ci)) {
      wanting.insert(static_cast<int>(i));
      wanting.insert(base->second);
    }
  }

  // One block structure per rung, so that points with the same count stay interleaved.
  Round round{last_round + 1, {}, evidence_hash(evidence)};
  std::map<std::pair<int, int>, std::vector<int>> by_span;
  for (const int i : wanting) {
    const int have =
        static_cast<int>(evidence.points[by_key.at(study.points[i].key())].runs.size());
    const int to = std::min(repeat.max, next_rung(have));
    if (to > have) by_span[{have, to}].push_back(i);
  }
  for (const auto& [span, points] : by_span) {
    const std::vector<Run> runs =
        interleave(points, span.first, span.second, study.plan.seed + round.number);
    round.runs.insert(round.runs.end(), runs.begin(), runs.end());
  }
  if (round.runs.empty()) return std::nullopt;
  return round;
}

}  // namespace kneepoint
