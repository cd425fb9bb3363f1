// SPDX-License-Identifier: Apache-2.0
//
// Order statistics of ratios are taken as ratios: the logarithm is monotone, so the ranks are the
// same, and the bounds are quotients of two measured times, without rounding by log and exp.
#include "orchestrator/analysis/statistics/intervals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {

namespace {

constexpr int kExactPairs = 400;

// How many of the ratios above[i] / below[j] are <= x. Both sorted: one pass along the staircase.
std::int64_t count_ratios(const std::vector<double>& above, const std::vector<double>& below,
                          double x) {
  std::int64_t count = 0;
  std::size_t j = below.size();  // below[j..] give ratios <= x; moves left as `above` falls
  for (std::size_t i = above.size(); i-- > 0;) {
    while (j > 0 && above[i] / below[j - 1] <= x) --j;
    count += static_cast<std::int64_t>(below.size() - j);
  }
  return count;
}

// The k-th smallest (from 1) of all ratios, without making them: bisection over the doubles
// themselves, whose bit patterns are ordered like their values as long as they are positive.
double kth_ratio(const std::vector<double>& above, const std::vector<double>& below,
                 std::int64_t k) {
  auto low = std::bit_cast<std::uint64_t>(above.front() / below.back());
  auto high = std::bit_cast<std::uint64_t>(above.back() / below.front());
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (count_ratios(above, below, std::bit_cast<double>(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::bit_cast<double>(low);
}

void sort_positive(std::vector<double>& values) {
  ENSURE(!values.empty(), "an empty sample has no statistics");
  std::sort(values.begin(), values.end());
  ENSURE(values.front() > 0 && std::isfinite(values.back()), "times are positive and finite");
}

struct Moments {
  double mean = 0;
  double variance_of_mean = 0;
};

Moments moments_of_logs(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  Moments m;
  for (const double v : values) m.mean += std::log(v) / n;
  // Equal values have no spread, whatever the rounding of their mean.
  if (values.front() == values.back()) return m;
  for (const double v : values) {
    const double d = std::log(v) - m.mean;
    m.variance_of_mean += d * d / (n - 1) / n;
  }
  return m;
}

Interval welch_on_logs(const std::vector<double>& above, const std::vector<double>& below) {
  const Moments a = moments_of_logs(above), b = moments_of_logs(below);
  const double variance = a.variance_of_mean + b.variance_of_mean;
  Interval interval{.low = 0, .high = 0, .level = kLevel, .method = kWelch};
  if (variance == 0) {
    interval.low = interval.high = above.front() / below.front();
    return interval;
  }
  const double df =
      variance * variance /
      (a.variance_of_mean * a.variance_of_mean / (static_cast<double>(above.size()) - 1) +
       b.variance_of_mean * b.variance_of_mean / (static_cast<double>(below.size()) - 1));
  const double half = student_t_quantile(0.5 + kLevel / 2, df) * std::sqrt(variance);
  interval.low = std::exp(a.mean - b.mean - half);
  interval.high = std::exp(a.mean - b.mean + half);
  return interval;
}

}  // namespace

double median(std::vector<double> values) {
  ENSURE(!values.empty(), "the median of nothing");
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  const double lower = *std::max_element(values.begin(), values.begin() + half);
  return lower + (upper - lower) / 2;
}

int count_outliers(const std::vector<double>& values) {
  if (values.size() < 3) return 0;
  const double center = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double v : values) distances.push_back(std::abs(v - center));
  const double mad = median(distances);
  if (mad == 0) return 0;
  return static_cast<int>(std::count_if(distances.begin(), distances.end(),
                                        [&](double d) { return d > 5 * 1.4826 * mad; }));
}

RankChoice hodges_lehmann_rank(int n, int m, double level) {
  const double tail = (1 - level) / 2;
  const std::int64_t pairs = static_cast<std::int64_t>(n) * m;
  if (pairs <= kExactPairs) {
    const std::vector<double> p = mann_whitney_null(n, m);
    RankChoice choice;
    double below = 0;
    // A tail that equals the limit in exact arithmetic must not fail by its last bit.
    while (choice.k < pairs / 2 && below + p[choice.k] <= tail * (1 + 1e-12)) {
      below += p[choice.k++];
    }
    if (choice.k > 0) choice.level = 1 - 2 * below;
    return choice;
  }
  const double mean = static_cast<double>(pairs) / 2;
  const double deviation = std::sqrt(static_cast<double>(pairs) * (n + m + 1) / 12.0);
  // P(U <= u) = Phi((u + 1/2 - mean) / deviation), which grows with u: bisect for the first above.
  const auto cdf = [&](double u) {
    return std::erfc(-(u + 0.5 - mean) / deviation / std::sqrt(2.0)) / 2;
  };
  std::int64_t k = 0, beyond = pairs;
  while (k < beyond) {
    const std::int64_t middle = k + (beyond - k) / 2;
    if (cdf(static_cast<double>(middle)) <= tail) {
      k = middle + 1;
    } else {
      beyond = middle;
    }
  }
  return {k, k > 0 ? 1 - 2 * cdf(static_cast<double>(k - 1)) : 0};
}

RankChoice median_rank(int n, double level) {
  ENSURE(n >= 2, "an interval of the median needs two values");
  const auto level_of = [&](int lo) { return 1 - 2 * binomial_cdf(lo - 1, n, 0.5); };
  // The level falls as lo grows: bisect for the last that still has it.
  int lo = 1, beyond = n / 2 + 1;
  while (beyond - lo > 1) {
    const int middle = lo + (beyond - lo) / 2;
    (level_of(middle) >= level ? lo : beyond) = middle;
  }
  return {lo, level_of(lo)};
}

double hodges_lehmann_ratio(std::vector<double> above, std::vector<double> below) {
  sort_positive(above);
  sort_positive(below);
  const auto pairs = static_cast<std::int64_t>(above.size() * below.size());
  const double upper = kth_ratio(above, below, pairs / 2 + 1);
  if (pairs % 2 == 1) return upper;
  return std::sqrt(kth_ratio(above, below, pairs / 2) * upper);
}

std::optional<Interval> ratio_interval(std::vector<double> above, std::vector<double> below) {
  if (above.size() < 2 || below.size() < 2) return std::nullopt;
  sort_positive(above);
  sort_positive(below);
  const RankChoice rank =
      hodges_lehmann_rank(static_cast<int>(above.size()), static_cast<int>(below.size()));
  if (rank.k == 0) return welch_on_logs(above, below);
  const auto pairs = static_cast<std::int64_t>(above.size() * below.size());
  return Interval{.low = kth_ratio(above, below, rank.k),
                  .high = kth_ratio(above, below, pairs + 1 - rank.k),
                  .level = rank.level,
                  .method = "Hodges-Lehmann"};
}

std::optional<Interval> median_interval(std::vector<double> values) {
  if (values.size() < 2) return std::nullopt;
  std::sort(values.begin(), values.end());
  const int n = static_cast<int>(values.size());
  const RankChoice rank = median_rank(n);
  return Interval{.low = values[static_cast<std::size_t>(rank.k - 1)],
                  .high = values[static_cast<std::size_t>(n - rank.k)],
                  .level = rank.level,
                  .method = n < 5 ? "range" : "order statistics"};
}

// ---- The statistic counts the means of two (Walsh averages) above 0, half of those at 0: the same
// number as the sum of the positive ranks.

namespace {

constexpr int kExactRankPairs = 60;

double upper_normal(double z) {
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

// P(W <= w) of n pairs, w whole.
class NullTail {
 public:
  explicit NullTail(int n) : n_(n) {
    if (n <= kExactRankPairs) null_ = signed_rank_null(n);
  }
  double up_to(double w) const {
    if (w < 0) return 0;
    if (null_.empty()) {
      const double n = n_, mean = n * (n + 1) / 4;
      return 1 - upper_normal((w + 0.5 - mean) / std::sqrt(n * (n + 1) * (2 * n + 1) / 24));
    }
    double sum = 0;
    for (std::size_t i = 0; i < null_.size() && static_cast<double>(i) <= w; ++i) sum += null_[i];
    return std::min(1.0, sum);
  }

 private:
  int n_;
  std::vector<double> null_;
};

}  // namespace

std::vector<double> signed_rank_null(int n) {
  std::vector<double> p(static_cast<std::size_t>(n) * (n + 1) / 2 + 1, 0.0);
  p[0] = 1;
  std::size_t last = 0;
  for (int rank = 1; rank <= n; ++rank) {
    last += static_cast<std::size_t>(rank);
    for (std::size_t w = last + 1; w-- > 0;) {
      const double with = w >= static_cast<std::size_t>(rank) ? p[w - rank] : 0;
      p[w] = (p[w] + with) / 2;
    }
  }
  return p;
}

double least_signed_rank_p(int pairs) {
  return std::pow(0.5, pairs);
}

RatioTest paired_ratio(const std::vector<double>& logs) {
  ENSURE(!logs.empty(), "no pairs have no ratio");
  std::vector<double> walsh;
  walsh.reserve(logs.size() * (logs.size() + 1) / 2);
  double above = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (std::size_t j = i; j < logs.size(); ++j) {
      const double mean = (logs[i] + logs[j]) / 2;
      walsh.push_back(mean);
      above += mean > 0 ? 1 : mean == 0 ? 0.5 : 0;
    }
  }
  std::sort(walsh.begin(), walsh.end());
  const auto all = static_cast<double>(walsh.size());
  const NullTail tail(static_cast<int>(logs.size()));
  RatioTest answer;
  answer.ratio = std::exp(median(walsh));
  // P(W >= w) = P(W <= all - w).
  answer.p_above = tail.up_to(all - std::floor(above));
  answer.p_below = tail.up_to(std::ceil(above));
  // The largest k with P(W <= k - 1) <= (1 - level) / 2.
  std::size_t k = 0;
  while (k < walsh.size() / 2 && tail.up_to(static_cast<double>(k)) <= (1 - kLevel) / 2) ++k;
  if (k > 0) {
    answer.interval =
        Interval{std::exp(walsh[k - 1]), std::exp(walsh[walsh.size() - k]),
                 1 - 2 * tail.up_to(static_cast<double>(k) - 1), "signed ranks of pairs"};
  }
  return answer;
}

Scatter scatter_of(std::span<const double> values) {
  Scatter scatter;
  for (const double value : values) scatter.mean += value;
  if (!values.empty()) scatter.mean /= static_cast<double>(values.size());
  for (const double value : values) {
    scatter.squares += (value - scatter.mean) * (value - scatter.mean);
  }
  return scatter;
}

RatioTest ratio_test(const std::vector<double>& above, const std::vector<double>& below) {
  RatioTest test{hodges_lehmann_ratio(above, below), ratio_interval(above, below)};
  if (above.size() < 2 || below.size() < 2) return test;
  test.p_above = mann_whitney_slower(above, below);
  test.p_below = mann_whitney_slower(below, above);
  return test;
}

double mann_whitney_slower(const std::vector<double>& candidate,
                           const std::vector<double>& baseline) {
  double u = 0;  // pairs in which the candidate takes longer
  for (const double slow : candidate) {
    for (const double fast : baseline) u += slow > fast ? 1 : slow == fast ? 0.5 : 0;
  }
  const std::vector<double> null =
      mann_whitney_null(static_cast<int>(candidate.size()), static_cast<int>(baseline.size()));
  double p = 0;
  for (auto i = static_cast<std::size_t>(std::floor(u)); i < null.size(); ++i) p += null[i];
  return std::min(p, 1.0);
}

double cliffs_delta(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.empty() || second.empty()) return 0;
  long above = 0;
  for (const double a : first) {
    for (const double b : second) above += a > b ? 1 : a < b ? -1 : 0;
  }
  return static_cast<double>(above) / static_cast<double>(first.size() * second.size());
}

}  // namespace kneepoint
