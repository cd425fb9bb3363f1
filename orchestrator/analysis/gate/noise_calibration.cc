// SPDX-License-Identifier: Apache-2.0
//
// Moments of an unbalanced nested design (Henderson's first method), pooled over points: cheap,
// exact for balanced data, and without an iteration that could fail.
#include "orchestrator/analysis/gate/noise_calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/random.h"

namespace kneepoint {
namespace {

constexpr double kMedianVariance = 1.5707963267948966;  // of a median to that of a mean: pi / 2
constexpr double kCalibrationPower = 0.8;
constexpr int kRepeats[] = {3, 4, 5, 6, 7, 8, 10, 12, 15, 20};
constexpr int kHistories[] = {8, 12, 16, 20, 30};

double square(double x) {
  return x * x;
}

double root(double variance) {
  return std::sqrt(std::max(variance, 0.0));
}

using Values = std::vector<double>;

Values flat(const std::map<std::string, Values>& groups) {
  Values all;
  for (const auto& [name, values] : groups) all.insert(all.end(), values.begin(), values.end());
  return all;
}

// Groups within cells: cells are points on nights, groups are sets of nodes.
struct Pooled {
  double within = 0, between = 0, effective = 0;
  int within_df = 0, between_df = 0;

  void add_cell(const std::map<std::string, Values>& groups) {
    const Values all = flat(groups);
    const auto count = static_cast<double>(all.size());
    const double cell_mean = scatter_of(all).mean;
    double squares = 0;
    for (const auto& [name, group] : groups) {
      const auto [mean, scatter] = scatter_of(group);
      const auto size = static_cast<double>(group.size());
      within += scatter;
      within_df += static_cast<int>(group.size()) - 1;
      between += size * square(mean - cell_mean);
      squares += square(size);
    }
    between_df += static_cast<int>(groups.size()) - 1;
    effective += count - squares / count;
  }
};

using Cell = std::pair<int, int>;  // point, night
using Cells = std::map<Cell, std::map<std::string, Values>>;

Cells cells_of(const std::vector<NoiseRun>& runs) {
  Cells cells;
  for (const NoiseRun& run : runs) {
    cells[{run.point, run.night}][run.nodes].push_back(run.log_seconds);
  }
  return cells;
}

// Repeats and nodes. Where no set of nodes has two runs of a cell, what nodes add is part of what
// repeats add.
void estimate_within(const Cells& cells, NoiseComponents& out) {
  Pooled nodes, repeats;
  bool known = true;
  for (const auto& [cell, groups] : cells) {
    for (const auto& [name, values] : groups) known = known && !name.empty();
    nodes.add_cell(groups);
    repeats.add_cell({{"", flat(groups)}});
  }
  out.repeat_sd = root(repeats.within / std::max(repeats.within_df, 1));
  if (!known) {
    out.untold.emplace_back(
        "Where runs ran was not recorded: what nodes add is part of what repeats or nights add.");
  } else if (out.node_sets < 2) {
    out.untold.emplace_back("All runs were on the same nodes: what other nodes add was not seen.");
  } else if (nodes.between_df == 0) {
    out.untold.emplace_back(
        "No point was on two sets of nodes in one night: what nodes add is part of what nights "
        "add.");
  } else if (nodes.within_df == 0) {
    out.untold.emplace_back(
        "No set of nodes had two runs of a point in one night: what nodes add is part of what "
        "repeats add.");
  } else {
    const double within = nodes.within / nodes.within_df;
    const double between = nodes.between / nodes.between_df;
    out.repeat_sd = root(within);
    out.node_sd = root((between - within) * nodes.between_df / nodes.effective);
  }
}

// Nights: by how much means of cells scatter over nights, at each point and over all points.
void estimate_nights(const Cells& cells, double cell_variance, NoiseComponents& out) {
  if (out.nights < 2) {
    out.untold.emplace_back("There is one night only: what nights add was not seen.");
    return;
  }
  std::map<int, std::map<int, double>> means;  // by point and night
  for (const auto& [cell, groups] : cells) {
    means[cell.first][cell.second] = scatter_of(flat(groups)).mean;
  }
  double squares = 0;
  int df = 0;
  std::map<int, Values> residuals;  // by night, of the points that all nights have
  int common_points = 0;
  for (const auto& [point, by_night] : means) {
    Values values;
    for (const auto& [night, mean] : by_night) values.push_back(mean);
    const auto [mean, scatter] = scatter_of(values);
    squares += scatter;
    df += static_cast<int>(values.size()) - 1;
    if (static_cast<int>(values.size()) != out.nights) continue;
    ++common_points;
    for (const auto& [night, value] : by_night) residuals[night].push_back(value - mean);
  }
  if (df == 0) {
    out.untold.emplace_back("No point was measured on two nights: what nights add was not seen.");
    return;
  }
  const double variance = squares / df;  // common + point + cell_variance
  if (common_points < 2) {
    out.point_night_sd = root(variance - cell_variance);
    out.untold.emplace_back(
        "One point has all nights: what a night adds to all points and to one point alone can't be "
        "told apart.");
    return;
  }
  Values night_means;
  for (const auto& [night, values] : residuals) night_means.push_back(scatter_of(values).mean);
  const double of_means = scatter_of(night_means).squares / (out.nights - 1);
  const double count = common_points;
  const double common = (count * of_means - variance) / (count - 1);
  out.common_night_sd = root(common);
  out.point_night_sd = root(variance - std::max(common, 0.0) - cell_variance);
}

// Of the mean of a cell, around what its night makes of it.
double mean_variance(const Cells& cells, const NoiseComponents& noise) {
  double sum = 0;
  for (const auto& [cell, groups] : cells) {
    double runs = 0, squares = 0;
    for (const auto& [name, values] : groups) {
      runs += static_cast<double>(values.size());
      squares += square(static_cast<double>(values.size()));
    }
    sum +=
        square(noise.repeat_sd) / runs + square(noise.node_sd.value_or(0)) * squares / square(runs);
  }
  return sum / static_cast<double>(cells.size());
}

// Quiet nights, and one on which every point takes 1 + `slowdown` times as long.
std::vector<GateSeries> simulated_nights(const NoiseComponents& noise, const GateShape& shape,
                                         double slowdown, std::uint64_t seed) {
  Random random(seed, "noise calibration");
  std::vector<GateSeries> series;
  for (std::size_t i = 0; i < shape.curve_points.size(); ++i) {
    const std::string curve = "curve " + std::to_string(i);
    for (int k = 1; k <= shape.curve_points[i]; ++k) {
      series.push_back({.key = curve + " K=" + std::to_string(k), .curve = curve, .k = k});
    }
  }
  for (int night = 0; night <= shape.history; ++night) {
    const double level = night < shape.history ? 0 : std::log1p(slowdown);
    const double common = random.normal() * noise.common_night_sd.value_or(0);
    for (GateSeries& one : series) {
      const double own = common + random.normal() * noise.point_night_sd.value_or(0);
      const double nodes = random.normal() * noise.node_sd.value_or(0);
      Values runs;
      for (int r = 0; r < std::max(shape.repeats, 1); ++r) {
        runs.push_back(level + own + nodes + random.normal() * noise.repeat_sd);
      }
      one.log_medians.push_back(median(std::move(runs)));
    }
  }
  return series;
}

}  // namespace

std::vector<NoiseRun> noise_runs(const std::vector<StudyEvidence>& studies) {
  std::vector<NoiseRun> runs;
  if (studies.empty()) return runs;
  std::map<std::string, int> points;
  for (const PointEvidence& point : studies.front().points) {
    points.emplace(point.point.key(), static_cast<int>(points.size()));
  }
  for (std::size_t night = 0; night < studies.size(); ++night) {
    for (const PointEvidence& point : studies[night].points) {
      const auto known = points.find(point.point.key());
      if (known == points.end()) continue;
      for (const RunEvidence& run : point.runs) {
        if (!counts(run)) continue;
        runs.push_back({known->second, static_cast<int>(night),
                        run.hosts.empty() ? run.nodes : run.hosts, std::log(run.seconds)});
      }
    }
  }
  return runs;
}

std::optional<double> NoiseComponents::night_sd() const {
  if (!point_night_sd) return std::nullopt;
  return std::sqrt(square(common_night_sd.value_or(0)) + square(*point_night_sd));
}

std::optional<NoiseComponents> estimate_noise(const std::vector<NoiseRun>& runs) {
  const Cells cells = cells_of(runs);
  NoiseComponents out;
  std::set<int> points, nights;
  std::set<std::string> node_sets;
  bool repeated = false;
  for (const auto& [cell, groups] : cells) {
    points.insert(cell.first);
    nights.insert(cell.second);
    std::size_t count = 0;
    for (const auto& [name, values] : groups) {
      node_sets.insert(name);
      count += values.size();
    }
    repeated = repeated || count > 1;
  }
  if (!repeated) return std::nullopt;
  out.runs = static_cast<int>(runs.size());
  out.points = static_cast<int>(points.size());
  out.nights = static_cast<int>(nights.size());
  out.node_sets = static_cast<int>(node_sets.size());
  estimate_within(cells, out);
  estimate_nights(cells, mean_variance(cells, out), out);
  return out;
}

GateBehaviour simulate_gate(const NoiseComponents& noise, const GateShape& shape,
                            const GateOptions& options, double slowdown, int nights,
                            std::uint64_t seed) {
  std::map<Verdict, int> counts;
  for (int night = 0; night < nights; ++night) {
    ++counts[gate(simulated_nights(noise, shape, slowdown, seed + night), options).verdict];
  }
  const auto share = [&](Verdict verdict) { return static_cast<double>(counts[verdict]) / nights; };
  return {nights, share(Verdict::suspect), share(Verdict::regressed), share(Verdict::inconclusive),
          share(Verdict::pass)};
}

std::optional<double> simulated_detectable(const NoiseComponents& noise, const GateShape& shape,
                                           const GateOptions& options, int nights,
                                           std::uint64_t seed) {
  // The same nights for every slowdown: what is seen only grows with it.
  const auto is_seen = [&](double slowdown) {
    const GateBehaviour seen = simulate_gate(noise, shape, options, slowdown, nights, seed);
    return seen.suspect + seen.regressed >= kCalibrationPower;
  };
  double low = 0, high = 0.02;
  while (!is_seen(high)) {
    low = high;
    high *= 2;
    if (high > 1) return std::nullopt;
  }
  while (high - low > 0.001) {
    const double middle = (low + high) / 2;
    (is_seen(middle) ? high : low) = middle;
  }
  return high;
}

NoiseAdvice advise_effort(const NoiseComponents& noise, const GateShape& shape,
                          const GateOptions& options) {
  // Of the curve with the fewest points: its mean is the least steady.
  const double points = *std::ranges::min_element(shape.curve_points);
  NoiseAdvice advice;
  for (const int repeats : kRepeats) {
    const double cell = square(noise.point_night_sd.value_or(0)) +
                        square(noise.node_sd.value_or(0)) +
                        kMedianVariance * square(noise.repeat_sd) / repeats;
    const double sd = std::max(std::sqrt(square(noise.common_night_sd.value_or(0)) + cell / points),
                               options.least_sd);
    for (const int history : kHistories) {
      advice.repeats = repeats;
      advice.history = history;
      advice.detectable = minimal_detectable(sd, history, options.curve_alpha);
      advice.reachable =
          std::max(advice.detectable, options.curve_effect) <= options.max_regression;
      if (advice.reachable) return advice;
    }
  }
  return advice;
}

}  // namespace kneepoint
