// SPDX-License-Identifier: Apache-2.0
//
// The prediction test of the nightly gate and what is said of its strength.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr double kNightPower = 0.8;

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "PASS";
    case Verdict::improved:
      return "IMPROVED";
    case Verdict::suspect:
      return "SUSPECT";
    case Verdict::regressed:
      return "REGRESSED";
    case Verdict::inconclusive:
      return "INCONCLUSIVE";
    case Verdict::env_change:
      return "ENV_CHANGE";
    case Verdict::no_baseline:
      return "NO_BASELINE";
    case Verdict::failed:
      return "FAILED";
  }
  return "?";
}

double mean_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(end - begin);
}

std::optional<NightTest> night_test(const std::vector<double>& nights, int window,
                                    const GateOptions& options) {
  const auto last = static_cast<std::size_t>(window);
  if (nights.size() < last + static_cast<std::size_t>(options.least_history)) return std::nullopt;
  const std::size_t end = nights.size() - last;
  const std::size_t begin =
      end > static_cast<std::size_t>(options.most_history) ? end - options.most_history : 0;
  const auto history = static_cast<double>(end - begin);
  const double mean = mean_of(nights, begin, end);
  double squares = 0;
  for (std::size_t i = begin; i < end; ++i) squares += (nights[i] - mean) * (nights[i] - mean);
  NightTest test;
  test.window = window;
  test.history = static_cast<int>(end - begin);
  test.sd = std::max(std::sqrt(squares / (history - 1)), options.least_sd);
  const double now = mean_of(nights, end, nights.size());
  const double error = test.sd * std::sqrt(1.0 / window + 1 / history);
  test.t = (now - mean) / error;
  test.p_slower = student_t_upper_tail(test.t, history - 1);
  test.p_faster = student_t_upper_tail(-test.t, history - 1);
  const double middle =
      median(std::vector<double>(nights.begin() + static_cast<std::ptrdiff_t>(begin),
                                 nights.begin() + static_cast<std::ptrdiff_t>(end)));
  test.effect = std::exp(now - middle) - 1;
  const double half = student_t_quantile((1 + kLevel) / 2, history - 1) * error;
  test.cliff = cliffs_delta({nights.begin() + static_cast<std::ptrdiff_t>(end), nights.end()},
                            {nights.begin() + static_cast<std::ptrdiff_t>(begin),
                             nights.begin() + static_cast<std::ptrdiff_t>(end)});
  test.low = std::exp(now - middle - half);
  test.high = std::exp(now - middle + half);
  return test;
}

std::vector<bool> holm(const std::vector<double>& p, double alpha) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<bool> rejected(p.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (p[order[i]] > alpha / static_cast<double>(p.size() - i)) break;
    rejected[order[i]] = true;
  }
  return rejected;
}

double minimal_detectable(double sd, int history, double alpha) {
  const double df = history - 1;
  return std::expm1((student_t_quantile(1 - alpha, df) + student_t_quantile(kNightPower, df)) * sd *
                    std::sqrt(1 + 1.0 / history));
}

// The quantile of chi-square by Wilson and Hilferty.
double deviation_at_least(int history) {
  constexpr double kNormal95 = 1.6448536269514722;
  const double df = history - 1;
  const double root = 1 - 2 / (9 * df) + kNormal95 * std::sqrt(2 / (9 * df));
  return 1 / std::sqrt(root * root * root);
}

const NightTest* GateFinding::decisive() const {
  const auto least =
      std::min_element(tests.begin(), tests.end(), [](const NightTest& a, const NightTest& b) {
        return std::min(a.p_slower, a.p_faster) < std::min(b.p_slower, b.p_faster);
      });
  return least == tests.end() ? nullptr : &*least;
}

}  // namespace kneepoint
