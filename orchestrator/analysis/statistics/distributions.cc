// SPDX-License-Identifier: Apache-2.0
//
// The one file that includes Boost.Math.
#include "orchestrator/analysis/statistics/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "orchestrator/base/ensure.h"

namespace kneepoint {

double student_t_upper_tail(double t, double df) {
  ENSURE(df > 0, "Student's t needs df > 0");
  return boost::math::cdf(boost::math::complement(boost::math::students_t(df), t));
}

double student_t_quantile(double p, double df) {
  ENSURE(df > 0 && p > 0 && p < 1, "Student's t needs df > 0 and 0 < p < 1");
  return boost::math::quantile(boost::math::students_t(df), p);
}

double fisher_f_upper_tail(double f, double df_above, double df_below) {
  ENSURE(df_above > 0 && df_below > 0 && f >= 0, "Fisher's F needs df > 0 and f >= 0");
  if (std::isinf(f)) return 0;  // boost refuses it
  return boost::math::cdf(boost::math::complement(boost::math::fisher_f(df_above, df_below), f));
}

double binomial_cdf(std::int64_t k, std::int64_t n, double p) {
  ENSURE(n >= 0, "a binomial needs n >= 0");
  if (k < 0) return 0;
  if (k >= n) return 1;
  return boost::math::cdf(boost::math::binomial(static_cast<double>(n), p), static_cast<double>(k));
}

std::vector<double> mann_whitney_null(int n, int m) {
  ENSURE(n >= 0 && m >= 0, "sample sizes are not negative");
  // The largest of all n + m values is in the first sample with probability n / (n + m), and then
  // exceeds all m of the second. Rows are built for i = 0..n, each for all j = 0..m; only additions
  // of positive numbers, so nothing cancels.
  std::vector<std::vector<double>> row(m + 1, std::vector<double>{1.0});
  for (int i = 1; i <= n; ++i) {
    std::vector<std::vector<double>> next(m + 1);
    next[0] = {1.0};
    for (int j = 1; j <= m; ++j) {
      const double first = static_cast<double>(i) / (i + j);
      std::vector<double> p(static_cast<std::size_t>(i) * j + 1, 0.0);
      for (std::size_t u = 0; u < row[j].size(); ++u) p[u + j] += first * row[j][u];
      for (std::size_t u = 0; u < next[j - 1].size(); ++u) p[u] += (1 - first) * next[j - 1][u];
      next[j] = std::move(p);
    }
    row = std::move(next);
  }
  return row[m];
}

}  // namespace kneepoint
