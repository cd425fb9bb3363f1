// SPDX-License-Identifier: Apache-2.0
//
// The statistic counts the means of two (Walsh averages) above 0, half of those at 0: the same
// number as the sum of the positive ranks.
#include "orchestrator/analysis/statistics/signed_rank.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
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

PairedRatio paired_ratio(const std::vector<double>& logs) {
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
  PairedRatio answer;
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

}  // namespace kneepoint
