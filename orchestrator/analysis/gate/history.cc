// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/gate/history.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

using ByKey = std::unordered_map<std::string, const NightTimes*>;

ByKey by_key(const GateNight& night) {
  ByKey index;
  for (const NightTimes& point : night.points) index.emplace(point.key, &point);
  return index;
}

const NightTimes* times_at(const ByKey& index, const std::string& key) {
  const auto found = index.find(key);
  return found == index.end() || found->second->seconds.empty() ? nullptr : found->second;
}

NightParts parts_of(const NightTimes& times) {
  NightParts parts;
  if (times.compute.empty() || times.communication.empty()) return parts;
  parts.compute = median(times.compute);
  parts.communication = median(times.communication);
  if (parts.compute + parts.communication > 0) {
    parts.rest = std::max(0.0, median(times.seconds) - parts.compute - parts.communication);
  }
  return parts;
}

// Sum of squares of ln T about its mean, and the degrees of freedom.
void add_scatter(const std::vector<double>& seconds, double& squares, double& freedom) {
  if (seconds.size() < 2) return;
  double mean = 0;
  for (const double t : seconds) mean += std::log(t);
  mean /= static_cast<double>(seconds.size());
  for (const double t : seconds) squares += (std::log(t) - mean) * (std::log(t) - mean);
  freedom += static_cast<double>(seconds.size()) - 1;
}

std::string curve_of(const Point& point) {
  std::string name = point.case_name + " " + to_string(point.mode);
  return point.build == "default" ? name : point.build + " " + name;
}

}  // namespace

bool belongs(const GateSeries& series, const GateFinding& finding) {
  return finding.whole_curve ? series.curve == finding.name : series.key == finding.name;
}

GateHistory make_history(const Segment& segment, const StudyEvidence& tonight) {
  GateHistory history;
  history.changed = segment.changed;
  std::vector<ByKey> indexes;
  for (const GateNight& night : segment.nights) {
    history.nights.push_back(night.id);
    history.builds.push_back(night.program);
    indexes.push_back(by_key(night));
  }
  const ByKey base = segment.baseline ? by_key(*segment.baseline) : ByKey();
  for (const PointEvidence& point : tonight.points) {
    GateSeries series;
    series.key = point.point.key();
    series.curve = curve_of(point.point);
    series.k = point.point.k;
    series.mode = point.point.mode;
    for (const RunEvidence& run : point.runs) {
      series.failed = series.failed || (run.finished && run.state != AttemptState::succeeded);
    }
    if (series.failed) history.failed.push_back(series.key);
    double squares = 0, freedom = 0;
    std::vector<NightParts> parts;
    for (const ByKey& index : indexes) {
      const NightTimes* times = times_at(index, series.key);
      if (times != nullptr) add_scatter(times->seconds, squares, freedom);
      series.log_medians.push_back(times == nullptr ? std::optional<double>()
                                                    : std::log(median(times->seconds)));
      parts.push_back(times == nullptr ? NightParts() : parts_of(*times));
    }
    if (const NightTimes* own = times_at(indexes.back(), series.key)) series.runs = own->seconds;
    if (const NightTimes* then = times_at(base, series.key)) series.baseline_runs = then->seconds;
    if (freedom > 0) series.run_sd = std::sqrt(squares / freedom);
    history.series.push_back(std::move(series));
    history.parts.push_back(std::move(parts));
  }
  return history;
}

std::vector<LevelChange> all_changes(const GateHistory& history, const GateFinding& finding) {
  std::vector<const GateSeries*> members;
  for (const GateSeries& series : history.series) {
    if (!belongs(series, finding) || series.log_medians.empty()) continue;
    if (series.log_medians.back()) members.push_back(&series);
  }
  // A K that is new has no past to date anything in; where all are new there is nothing to date.
  const auto most = [&] {
    std::ptrdiff_t count = 0;
    for (const GateSeries* one : members) {
      count = std::max(count, std::count_if(one->log_medians.begin(), one->log_medians.end(),
                                            [](const auto& log) { return log.has_value(); }));
    }
    return count;
  }();
  members.erase(std::remove_if(members.begin(), members.end(),
                               [&](const GateSeries* one) {
                                 const auto count =
                                     std::count_if(one->log_medians.begin(), one->log_medians.end(),
                                                   [](const auto& log) { return log.has_value(); });
                                 return 2 * count < most;
                               }),
                members.end());
  std::vector<double> values;
  std::vector<std::size_t> nights;
  for (std::size_t night = 0; !members.empty() && night < history.nights.size(); ++night) {
    double sum = 0;
    bool all = true;
    for (const GateSeries* one : members) {
      all = all && one->log_medians[night].has_value();
      if (all) sum += *one->log_medians[night];
    }
    if (!all) continue;
    values.push_back(sum / static_cast<double>(members.size()));
    nights.push_back(night);
  }
  const auto named = [&](std::size_t night) {
    const bool recorded = night < history.builds.size();
    return NightOfProgram{history.nights[night], recorded ? history.builds[night] : ""};
  };
  std::vector<LevelChange> changes;
  for (const ChangePoint& change : change_points(values)) {
    const std::size_t night = nights[change.night];
    LevelChange& one = changes.emplace_back(LevelChange{change.ratio, {}, named(night)});
    if (night > 0) one.last_before = named(night - 1);
  }
  return changes;
}

const LevelChange* GateFinding::since() const {
  return (slower || faster) && !changes.empty() ? &changes.back() : nullptr;
}

void explain(const GateHistory& history, GateAnswer& answer) {
  for (std::vector<GateFinding>* list : {&answer.curves, &answer.points}) {
    for (GateFinding& finding : *list) {
      const bool found = finding.slower || finding.faster;
      if (finding.slower) finding.moved = moved_term(history, finding);
      if (finding.whole_curve || found) finding.changes = all_changes(history, finding);
    }
  }
}

}  // namespace kneepoint
