// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/statistics/tail.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {

namespace {

constexpr double kSide = 0.025;         // chance of a miss on each side
constexpr double kBeyondSample = 0.10;  // from here on an expected maximum is a lower bound
constexpr double kGrowth = 0.01;        // less growth than this is none
constexpr double kMostly = 0.8, kHardlyTail = 0.2;

Result<void> require_times(const std::vector<double>& seconds) {
  if (seconds.empty()) return refusal("no iteration was timed");
  for (const double s : seconds) TRY(require_positive(s, "an iteration's time"));
  return {};
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The first k of 0 to n for which `holds` is false, n + 1 if it never is; from there on it stays
// so.
template <typename Holds>
std::int64_t first_not(std::int64_t n, Holds holds) {
  std::int64_t low = 0, high = n + 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    holds(middle) ? low = middle + 1 : high = middle;
  }
  return low;
}

// X counts the samples at or below the true quantile. x(l) is above it when X < l; x(u) is below it
// when X >= u.
TailQuantile tail_quantile(const std::vector<double>& sorted, double p) {
  const auto n = static_cast<std::int64_t>(sorted.size());
  TailQuantile q;
  q.p = p;
  // p·n may be whole in exact arithmetic and a bit above in doubles.
  const auto rank = static_cast<std::int64_t>(std::ceil(p * static_cast<double>(n) * (1 - 1e-12)));
  q.value = sorted[std::clamp<std::int64_t>(rank, 1, n) - 1];
  // The largest l with P(X <= l-1) within the side, and the smallest u with P(X >= u) within it.
  const std::int64_t low =
      first_not(n, [&](std::int64_t k) { return binomial_cdf(k, n, p) <= kSide; });
  const std::int64_t high =
      1 + first_not(n, [&](std::int64_t k) { return 1 - binomial_cdf(k, n, p) > kSide; });
  if (low >= 1) q.low = sorted[low - 1];
  if (high <= n) q.high = sorted[high - 1];
  return q;
}

}  // namespace

Result<TailSummary> summarise_tail(std::vector<double> seconds) {
  TRY(require_times(seconds));
  std::sort(seconds.begin(), seconds.end());
  TailSummary t;
  t.samples = static_cast<std::int64_t>(seconds.size());
  t.mean = mean(seconds);
  t.p50 = tail_quantile(seconds, 0.50);
  t.p95 = tail_quantile(seconds, 0.95);
  t.p99 = tail_quantile(seconds, 0.99);
  t.max = seconds.back();
  t.max_is_above = std::pow(kSide, 1 / static_cast<double>(t.samples));
  return t;
}

Result<ExpectedMax> expected_max(std::vector<double> seconds, double draws) {
  TRY(require_times(seconds));
  TRY(require_at_least(draws, 1, "the number of draws"));
  std::sort(seconds.begin(), seconds.end());
  const double n = static_cast<double>(seconds.size());
  ExpectedMax m;
  double below = 0;  // P(max <= the sample before) = (share at or below it)^draws
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double share = std::pow(static_cast<double>(i + 1) / n, draws);
    m.value += seconds[i] * (share - below);
    below = share;
  }
  m.beyond_samples = draws / (draws + n);
  m.lower_bound = m.beyond_samples >= kBeyondSample;
  return m;
}

Result<TailGrowth> tail_growth(const std::vector<double>& seconds0, double ranks0,
                               const std::vector<double>& seconds, double ranks) {
  TRY(require_times(seconds0));
  TRY(require_times(seconds));
  TRY(require_workers(ranks0, "the number of ranks at K0"));
  TRY(require_workers(ranks, "the number of ranks"));
  if (ranks <= ranks0) return refusal("the tail grows from one number of ranks to a larger one");
  TRY_ASSIGN(const ExpectedMax noise, expected_max(seconds0, ranks / ranks0));
  const double base = mean(seconds0);
  TailGrowth g;
  g.measured = mean(seconds) / base;
  g.expected = noise.value / base;
  g.lower_bound = noise.lower_bound;
  if (g.measured - 1 < kGrowth) {
    g.sentence = "iterations do not get longer with more ranks";
    return g;
  }
  g.jitter_share = std::clamp((g.expected - 1) / (g.measured - 1), 0.0, 1.0);
  g.verdict = g.jitter_share >= kMostly       ? TailVerdict::jitter
              : g.jitter_share <= kHardlyTail ? TailVerdict::scaling
                                              : TailVerdict::both;
  g.sentence =
      "iterations get " + number_text(100 * (g.measured - 1)) + "% longer; waiting for the " +
      "slowest of more ranks with the same noise explains " + (g.lower_bound ? "at least " : "") +
      number_text(std::round(100 * g.jitter_share)) + "% of that";
  return g;
}

// ---- A value that is no finite number is no value.

std::vector<MetricSummary> metrics_of(const std::vector<const RunDetail*>& runs) {
  struct Values {
    std::string better;
    std::vector<double> values;
  };
  std::map<std::pair<std::string, std::string>, Values> known;
  for (const RunDetail* run : runs) {
    for (const Metric& metric : run->metrics) {
      if (metric.name == "time" || !std::isfinite(metric.value)) continue;
      Values& one = known[{metric.name, metric.unit}];
      if (!metric.better.empty()) one.better = metric.better;
      one.values.push_back(metric.value);
    }
  }
  std::vector<MetricSummary> summaries;
  for (auto& [key, one] : known) {
    MetricSummary& summary = summaries.emplace_back();
    summary.name = key.first;
    summary.unit = key.second;
    summary.better = one.better;
    summary.runs = static_cast<int>(one.values.size());
    summary.interval = median_interval(one.values);
    summary.median = median(std::move(one.values));
  }
  return summaries;
}

}  // namespace kneepoint
