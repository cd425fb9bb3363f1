// SPDX-License-Identifier: Apache-2.0
//
// What made T grow: by the parts that the workload reports, else by how the growth goes with K.
#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr std::size_t kLeastTerms = 3;

// Of one point: seconds on top of the median of the nights before.
struct TermGrowth {
  int k = 1;
  Mode mode = Mode::strong;
  double t = 0, total = 0;
  bool has_parts = false;
  double compute = 0, communication = 0, rest = 0;
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
  growth.has_parts = !compute.empty() && now.compute + now.communication > 0;
  if (!growth.has_parts) return growth;
  growth.compute = now.compute - median(std::move(compute));
  growth.communication = now.communication - median(std::move(communication));
  growth.rest = now.rest - median(std::move(rest));
  return growth;
}

// How much of these seconds by K, as shares of T, stays the same, shrinks like 1/K and grows like
// log2 K.
struct GrowthShape {
  double constant = 0, shrinking = 0, growing = 0;
  double sum() const { return constant + shrinking + growing; }
};

GrowthShape shape_of(const std::vector<TermGrowth>& growth, double TermGrowth::*part,
                     bool with_log) {
  const bool strong = growth.front().mode == Mode::strong;
  const int columns = 1 + (strong ? 1 : 0) + (with_log ? 1 : 0);
  std::vector<double> rows;
  for (const TermGrowth& one : growth) {
    rows.push_back(1 / one.t);
    if (strong) rows.push_back(1.0 / one.k / one.t);
    if (with_log) rows.push_back(std::log2(one.k) / one.t);
    rows.push_back(one.*part / one.t);
  }
  const NonNegative fit = solve_non_negative(rows, columns);
  GrowthShape shape;
  for (const TermGrowth& one : growth) {
    shape.constant += fit.x[0] / one.t;
    if (strong) shape.shrinking += fit.x[1] / one.k / one.t;
    if (with_log) {
      shape.growing += fit.x[static_cast<std::size_t>(columns) - 1] * std::log2(one.k) / one.t;
    }
  }
  return shape;
}

bool has_shape(const std::vector<TermGrowth>& growth) {
  std::vector<int> ks;
  for (const TermGrowth& one : growth) ks.push_back(one.k);
  std::sort(ks.begin(), ks.end());
  return static_cast<std::size_t>(std::unique(ks.begin(), ks.end()) - ks.begin()) >= kLeastTerms;
}

std::optional<MovedTerm> largest(std::vector<MovedTerm> terms) {
  double total = 0;
  for (const MovedTerm& term : terms) total += term.share;
  if (!(total > 0)) return std::nullopt;
  const auto most =
      std::max_element(terms.begin(), terms.end(),
                       [](const MovedTerm& a, const MovedTerm& b) { return a.share < b.share; });
  most->share /= total;
  return *most;
}

}  // namespace

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
    parts = parts || (one && one->has_parts);
  }
  if (!parts) {
    if (!has_shape(growth)) return std::nullopt;
    const GrowthShape shape = shape_of(growth, &TermGrowth::total, true);
    return largest(
        {{"compute", shape.shrinking, true},
         {growth.front().mode == Mode::strong ? "serial" : "compute", shape.constant, true},
         {"communication", shape.growing, true}});
  }
  growth.erase(std::remove_if(growth.begin(), growth.end(),
                              [](const TermGrowth& one) { return !one.has_parts; }),
               growth.end());
  // As shares of T, so that small K don't outweigh large ones.
  NightParts sum;
  for (const TermGrowth& one : growth) {
    sum.compute += one.compute / one.t;
    sum.communication += one.communication / one.t;
    sum.rest += one.rest / one.t;
  }
  auto moved = largest_growth(sum);
  if (moved && moved->name == "compute" && has_shape(growth) &&
      growth.front().mode == Mode::strong) {
    const GrowthShape shape = shape_of(growth, &TermGrowth::compute, false);
    if (shape.constant > shape.shrinking) moved->name = "serial";
  }
  return moved;
}

}  // namespace kneepoint
