// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/fitting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {

namespace {

constexpr int kRounds = 8;
constexpr double kExact = 1e-18;  // of SS/N: less is rounding
constexpr double kNever = std::numeric_limits<double>::infinity();

double value_of(const Coefficients& c, const SumsAtK& s) {
  return c.one * s.terms[0] + c.inverse_k * s.terms[1] + c.log2_k * s.terms[2] +
         c.k_minus_1 * s.terms[3];
}

// What minimises the weighted squares of one K's runs is their mean, weighted in the same way.
struct Round {
  double weight, target;
};

Round first_round(const SumsAtK& s) {
  return {s.inverse2, s.inverse / s.inverse2};
}

Round later_round(const SumsAtK& s, double f) {
  return {s.runs / (f * f), s.mean};
}

// Further rounds would change the last digits only.
bool settled(const Coefficients& before, const Coefficients& now) {
  const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-13 * b; };
  return close(before.one, now.one) && close(before.inverse_k, now.inverse_k) &&
         close(before.log2_k, now.log2_k) && close(before.k_minus_1, now.k_minus_1);
}

}  // namespace

const std::vector<ModelForm>& model_forms(Mode mode) {
  static const std::vector<ModelForm> strong = {{"ideal", kInverseK},
                                                {"amdahl", kOne | kInverseK},
                                                {"amdahl_log", kOne | kInverseK | kLog2K},
                                                {"usl", kOne | kInverseK | kKMinus1},
                                                {"full", kOne | kInverseK | kLog2K | kKMinus1}};
  static const std::vector<ModelForm> weak = {{"constant", kOne},
                                              {"log", kOne | kLog2K},
                                              {"linear", kOne | kKMinus1},
                                              {"log_linear", kOne | kLog2K | kKMinus1}};
  return mode == Mode::strong ? strong : weak;
}

int count_terms(TermSet terms) {
  return std::popcount(terms);
}

std::vector<SumsAtK> sums_of(const Times& times) {
  std::vector<SumsAtK> sums(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    SumsAtK& s = sums[i];
    s.terms = terms_at(times[i].k);
    s.runs = static_cast<double>(times[i].seconds.size());
    double logs_squared = 0;
    const double shift = std::log(times[i].seconds.front());  // keeps the squares small
    double logs = 0;
    for (const double t : times[i].seconds) {
      s.mean += t;
      s.inverse += 1 / t;
      s.inverse2 += 1 / t * (1 / t);
      const double log = std::log(t) - shift;
      logs += log;
      logs_squared += log * log;
    }
    s.mean /= s.runs;
    s.mean_log = shift + logs / s.runs;
    s.log_spread = std::max(0.0, logs_squared - logs * logs / s.runs);
  }
  return sums;
}

Coefficients Fitter::solve(const std::vector<SumsAtK>& sums, TermSet terms) {
  const int columns = std::popcount(terms);
  rows_.clear();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double root = std::sqrt(weight_[i]);
    for (int j = 0; j < 4; ++j) {
      if (terms >> j & 1U) rows_.push_back(root * sums[i].terms[j]);
    }
    rows_.push_back(root * target_[i]);
  }
  const NonNegative solution = solve_non_negative(rows_, columns);
  std::array<double, 4> c{};
  for (int j = 0, at = 0; j < 4; ++j) {
    if (terms >> j & 1U) c[j] = solution.x[at++];
  }
  return {c[0], c[1], c[2], c[3]};
}

Coefficients Fitter::fit(const std::vector<SumsAtK>& sums, TermSet terms) {
  ENSURE(terms != 0 && !sums.empty(), "a fit needs terms and runs");
  weight_.resize(sums.size());
  target_.resize(sums.size());
  Coefficients c;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double f = round == 0 ? 0 : value_of(c, sums[i]);
      const Round now = f > 0 ? later_round(sums[i], f) : first_round(sums[i]);
      weight_[i] = now.weight;
      target_[i] = now.target;
    }
    const Coefficients before = c;
    c = solve(sums, terms);
    if (settled(before, c)) break;
  }
  return c;
}

double log_residual(const std::vector<SumsAtK>& sums, const Coefficients& c) {
  double total = 0;
  for (const SumsAtK& s : sums) {
    const double f = value_of(c, s);
    if (!(f > 0)) return kNever;
    const double off = s.mean_log - std::log(f);
    total += s.log_spread + s.runs * off * off;
  }
  return total;
}

double aicc(double log_residual, int runs, int terms) {
  const double n = runs, k = terms + 1;
  if (n - k - 1 <= 0) return kNever;
  return n * std::log(std::max(log_residual / n, kExact)) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

Choice choose(Fitter& fitter, const std::vector<SumsAtK>& sums,
              const std::vector<TermSet>& candidates) {
  ENSURE(!candidates.empty(), "a choice needs candidates");
  double runs = 0;
  for (const SumsAtK& s : sums) runs += s.runs;
  Choice best;
  double least = kNever;
  for (const TermSet terms : candidates) {
    const Coefficients c = fitter.fit(sums, terms);
    const double value = aicc(log_residual(sums, c), static_cast<int>(runs), count_terms(terms));
    if (best.terms == 0 || value < least) {
      best = {terms, c};
      least = value;
    }
  }
  return best;
}

// ---- One reduction of all rows to a triangle, then at most 31 tiny problems on that triangle.

namespace {

constexpr int kWidth = kMostColumns + 1;
constexpr double kDependent = 1e-12;  // of a column's length: what is left of it is rounding
constexpr double kSameFit = 1e-12;    // of a residual
constexpr double kRounding = 1e-28;   // of the right side's sum of squares
using Square = std::array<double, kWidth * kWidth>;

struct Attempt {
  bool feasible = false;
  NonNegative solution;
};

Attempt solve_on(const Square& triangle, int columns, unsigned set) {
  const int count = std::popcount(set), height = columns + 1, width = count + 1;
  std::array<int, kMostColumns> members{};
  for (int j = 0, at = 0; j < columns; ++j) {
    if (set >> j & 1U) members[at++] = j;
  }
  Square a{};
  std::array<double, kMostColumns> length{};
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < count; ++j) {
      const double v = triangle[i * height + members[j]];
      a[i * width + j] = v;
      length[j] += v * v;
    }
    a[i * width + count] = triangle[i * height + columns];
  }
  triangulate(a.data(), height, width, count);

  Attempt attempt;
  for (int j = count; j-- > 0;) {
    const double diagonal = a[j * width + j];
    if (!(std::abs(diagonal) > kDependent * std::sqrt(length[j]))) return attempt;
    double x = a[j * width + count];
    for (int i = j + 1; i < count; ++i) x -= a[j * width + i] * attempt.solution.x[members[i]];
    x /= diagonal;
    if (!(x >= 0)) return attempt;
    attempt.solution.x[members[j]] = x;
  }
  for (int i = count; i < height; ++i) {
    attempt.solution.residual += a[i * width + count] * a[i * width + count];
  }
  attempt.feasible = true;
  return attempt;
}

}  // namespace

void triangulate(double* matrix, int rows, int width, int columns) {
  for (int j = 0; j < columns && j + 1 < rows; ++j) {
    double below = 0;
    for (int i = j + 1; i < rows; ++i) below += matrix[i * width + j] * matrix[i * width + j];
    if (below == 0) continue;
    double& pivot = matrix[j * width + j];
    const double norm = std::sqrt(pivot * pivot + below);
    const double head = pivot > 0 ? pivot + norm : pivot - norm;
    const double scale = 2 / (head * head + below);
    for (int c = j + 1; c < width; ++c) {
      double dot = head * matrix[j * width + c];
      for (int i = j + 1; i < rows; ++i) dot += matrix[i * width + j] * matrix[i * width + c];
      dot *= scale;
      matrix[j * width + c] -= dot * head;
      for (int i = j + 1; i < rows; ++i) matrix[i * width + c] -= dot * matrix[i * width + j];
    }
    pivot = pivot > 0 ? -norm : norm;
    for (int i = j + 1; i < rows; ++i) matrix[i * width + j] = 0;
  }
}

NonNegative solve_non_negative(std::vector<double>& rows, int columns) {
  ENSURE(columns >= 1 && columns <= kMostColumns, "from 1 to 5 columns");
  const int width = columns + 1;
  const int height = static_cast<int>(rows.size()) / width;
  ENSURE(static_cast<std::size_t>(height) * width == rows.size(), "whole rows");
  triangulate(rows.data(), height, width, width);
  Square triangle{};
  std::copy_n(rows.begin(), std::min(height, width) * width, triangle.begin());

  NonNegative best;
  for (int i = 0; i < width; ++i) {
    best.residual += triangle[i * width + columns] * triangle[i * width + columns];
  }
  const double rounding = kRounding * best.residual;
  for (int count = 1; count <= columns; ++count) {
    for (unsigned set = 1; set < 1U << columns; ++set) {
      if (std::popcount(set) != count) continue;
      const Attempt attempt = solve_on(triangle, columns, set);
      if (!attempt.feasible) continue;
      if (attempt.solution.residual < best.residual * (1 - kSameFit) - rounding) {
        best = attempt.solution;
      }
    }
  }
  return best;
}

// ---- Derivatives are by hand; each is monotone where it is searched, so its root is the only one.

namespace {

constexpr double kLargestK = 1e15;  // a root beyond it is none
const double kLn2 = std::log(2.0);

// The root of a function that rises from below 0 at `low`; none when it is not above 0 by
// kLargestK.
template <typename Function>
std::optional<double> root_above(double low, Function f) {
  if (f(low) >= 0) return low;
  double high = low * 2;
  while (f(high) < 0) {
    low = high;
    high *= 2;
    if (high > kLargestK) return std::nullopt;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    (f(middle) < 0 ? low : high) = middle;
  }
}

}  // namespace

std::array<double, 4> terms_at(double k) {
  return {1, 1 / k, std::log2(k), k - 1};
}

double Coefficients::at(double k) const {
  return one + inverse_k / k + log2_k * std::log2(k) + k_minus_1 * (k - 1);
}

std::optional<double> fastest_k(const Coefficients& c) {
  // -b/K² + c/(K·ln 2) + d = 0, solved without cancellation.
  const double slope = c.log2_k / kLn2;
  const double sum = slope + std::sqrt(slope * slope + 4 * c.inverse_k * c.k_minus_1);
  if (sum == 0) {
    if (c.inverse_k > 0) return std::nullopt;
    return 1;  // constant
  }
  const double k = 2 * c.inverse_k / sum;
  if (k > kLargestK) return std::nullopt;
  return k < 1 ? 1 : k;
}

std::optional<double> most_powerful_k(Mode mode, const Coefficients& c) {
  const double growth = 2 * c.log2_k / kLn2;
  if (mode == Mode::strong) {
    // T + 2K·T' = 0
    return root_above(1, [&](double k) {
      return c.one - c.k_minus_1 + growth - c.inverse_k / k + c.log2_k * std::log2(k) +
             3 * c.k_minus_1 * k;
    });
  }
  // Without the linear term K/T² grows for ever, whatever the logarithm does. With it 2K·T' - T is
  // least at K = c/(d·ln 2) and rises from there on; weak curves have no 1/K.
  if (c.k_minus_1 == 0) return std::nullopt;
  const auto excess = [&](double k) {
    return growth + c.k_minus_1 * (k + 1) - c.one - c.log2_k * std::log2(k);
  };
  const double least = c.log2_k / (c.k_minus_1 * kLn2);
  const double low = least < 1 ? 1 : least;
  if (excess(low) >= 0) return 1;
  return root_above(low, excess);
}

std::optional<double> crossing_k(Mode mode, const Coefficients& c, double k0, double floor) {
  if (mode == Mode::strong) {
    const double limit = k0 * c.at(k0) / floor;
    return root_above(k0, [&](double k) { return k * c.at(k) - limit; });
  }
  const double limit = c.at(k0) / floor;
  return root_above(k0, [&](double k) { return c.at(k) - limit; });
}

}  // namespace kneepoint
