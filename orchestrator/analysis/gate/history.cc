// SPDX-License-Identifier: Apache-2.0
//
// What the gate looks at, and what it says of a finding: when the level changed, and which part of
// T grew, by the parts that the workload reports, else by how the growth goes with K.
#include "orchestrator/analysis/gate/history.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <unordered_map>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/models/fitting.h"
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

std::string curve_of(const Point& point) {
  std::string name = point.case_name + " " + to_string(point.mode);
  return point.build == "default" ? name : point.build + " " + name;
}

constexpr std::size_t kLeastTerms = 3;

// Of one point: seconds on top of the median of the nights before.
struct TermGrowth {
  int k = 1;
  Mode mode = Mode::strong;
  double t = 0, total = 0;
  std::optional<NightParts> parts;  // none: the workload doesn't say
};

std::optional<TermGrowth> growth_of(const GateHistory& history, std::size_t i) {
  const GateSeries& series = history.series[i];
  if (!series.log_medians.back()) return std::nullopt;
  std::vector<double> seconds, compute, communication, rest;
  for (std::size_t night = 0; night + 1 < series.log_medians.size(); ++night) {
    if (!series.log_medians[night]) continue;
    seconds.push_back(std::exp(*series.log_medians[night]));
    const NightParts& parts = history.parts[i][night];
    if (parts.compute + parts.communication <= 0) continue;  // a table has none
    compute.push_back(parts.compute);
    communication.push_back(parts.communication);
    rest.push_back(parts.rest);
  }
  if (seconds.empty()) return std::nullopt;
  TermGrowth growth;
  growth.k = series.k;
  growth.mode = series.mode;
  growth.t = std::exp(*series.log_medians.back());
  growth.total = growth.t - median(std::move(seconds));
  const NightParts& now = history.parts[i].back();
  if (compute.empty() || now.compute + now.communication <= 0) return growth;
  growth.parts = NightParts{now.compute - median(std::move(compute)),
                            now.communication - median(std::move(communication)),
                            now.rest - median(std::move(rest))};
  return growth;
}

// How much of these seconds by K, as shares of T, stays the same, shrinks like 1/K and grows like
// log2 K.
struct GrowthShape {
  double constant = 0, shrinking = 0, growing = 0;
  double sum() const { return constant + shrinking + growing; }
};

// `part`: of one point, in seconds.
GrowthShape shape_of(const std::vector<TermGrowth>& growth,
                     const std::function<double(const TermGrowth&)>& part, bool with_log) {
  const bool strong = growth.front().mode == Mode::strong;
  const int columns = 1 + (strong ? 1 : 0) + (with_log ? 1 : 0);
  std::vector<double> rows;
  for (const TermGrowth& one : growth) {
    rows.push_back(1 / one.t);
    if (strong) rows.push_back(1.0 / one.k / one.t);
    if (with_log) rows.push_back(std::log2(one.k) / one.t);
    rows.push_back(part(one) / one.t);
  }
  const NonNegative fit = solve_non_negative(rows, columns);
  GrowthShape shape;
  for (const TermGrowth& one : growth) {
    shape.constant += fit.x[0] / one.t;
    if (strong) shape.shrinking += fit.x[1] / one.k / one.t;
    if (with_log) {
      shape.growing += fit.x[columns - 1] * std::log2(one.k) / one.t;
    }
  }
  return shape;
}

bool has_shape(const std::vector<TermGrowth>& growth) {
  std::set<int> ks;
  for (const TermGrowth& one : growth) ks.insert(one.k);
  return ks.size() >= kLeastTerms;
}

std::optional<MovedTerm> largest(std::vector<MovedTerm> terms) {
  double total = 0;
  for (const MovedTerm& term : terms) total += term.share;
  if (!(total > 0)) return std::nullopt;
  const auto most = std::ranges::max_element(terms, {}, &MovedTerm::share);
  most->share /= total;
  return *most;
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
      if (times != nullptr) {
        std::vector<double> logs = times->seconds;
        for (double& one : logs) one = std::log(one);
        squares += scatter_of(logs).squares;
        freedom += static_cast<double>(logs.size()) - 1;
      }
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
  for (const Curve& curve : summarise(tonight).curves) {
    for (const PointSummary& at : curve.points) {
      if (!at.is_by_work()) continue;
      history.series[at.index].work_per_worker = at.efficiency / at.efficiency_plain;
    }
  }
  return history;
}

std::vector<LevelChange> all_changes(const GateHistory& history, const GateFinding& finding) {
  const auto measured = [&](std::size_t i) {
    return std::ranges::count_if(history.series[i].log_medians,
                                 [](const auto& log) { return log.has_value(); });
  };
  std::vector<std::size_t> members;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < history.series.size(); ++i) {
    const GateSeries& series = history.series[i];
    if (!belongs(series, finding) || series.log_medians.empty()) continue;
    if (!series.log_medians.back()) continue;
    members.push_back(i);
    most = std::max(most, measured(i));
  }
  if (members.empty()) return {};
  // A K that is new has no past to date anything in; where all are new there is nothing to date.
  std::erase_if(members, [&](std::size_t i) { return 2 * measured(i) < most; });
  std::vector<std::size_t> nights;
  const std::vector<double> values =
      nights_of(history.series, members, history.nights.size() - 1, &nights);
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

std::optional<MovedTerm> largest_growth(const NightParts& growth) {
  return largest({{"compute", growth.compute},
                  {"communication", growth.communication},
                  {"imbalance and waiting", growth.rest}});
}

std::optional<MovedTerm> moved_term(const GateHistory& history, const GateFinding& finding) {
  std::vector<TermGrowth> growth;
  bool parts = false;
  for (std::size_t i = 0; i < history.series.size(); ++i) {
    if (!belongs(history.series[i], finding)) continue;
    const auto one = growth_of(history, i);
    if (one) growth.push_back(*one);
    parts = parts || (one && one->parts);
  }
  if (!parts) {
    if (!has_shape(growth)) return std::nullopt;
    const GrowthShape shape = shape_of(growth, &TermGrowth::total, true);
    return largest(
        {{"compute", shape.shrinking, true},
         {growth.front().mode == Mode::strong ? "serial" : "compute", shape.constant, true},
         {"communication", shape.growing, true}});
  }
  std::erase_if(growth, [](const TermGrowth& one) { return !one.parts; });
  // As shares of T, so that small K don't outweigh large ones.
  NightParts sum;
  for (const TermGrowth& one : growth) {
    sum.compute += one.parts->compute / one.t;
    sum.communication += one.parts->communication / one.t;
    sum.rest += one.parts->rest / one.t;
  }
  auto moved = largest_growth(sum);
  if (moved && moved->name == "compute" && has_shape(growth) &&
      growth.front().mode == Mode::strong) {
    const GrowthShape shape = shape_of(
        growth, [](const TermGrowth& one) { return one.parts->compute; }, false);
    if (shape.constant > shape.shrinking) moved->name = "serial";
  }
  return moved;
}

}  // namespace kneepoint
