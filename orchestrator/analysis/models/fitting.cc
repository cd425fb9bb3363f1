// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/fitting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/models/nnls.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

constexpr int kRounds = 8;
constexpr double kHuber = 1.345;
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

Coefficients Fitter::fit_robust(const Times& times, TermSet terms) {
  const std::vector<SumsAtK> sums = sums_of(times);
  Coefficients c = fit(sums, terms);
  std::vector<double> residuals;
  for (int round = 0; round < kRounds; ++round) {
    residuals.clear();
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double f = value_of(c, sums[i]);
      if (!(f > 0)) return c;
      for (const double t : times[i].seconds) residuals.push_back(std::log(t / f));
    }
    std::vector<double> distances = residuals;
    for (double& r : distances) r = std::abs(r);
    const double scale = 1.4826 * median(distances);
    if (scale < 1e-12) return c;  // most runs are on the curve: no scale to judge the others by
    auto residual = residuals.begin();
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double f = value_of(c, sums[i]);
      double weights = 0, weighted = 0;
      for (const double t : times[i].seconds) {
        const double distance = std::abs(*residual++) / scale;
        const double w = distance <= kHuber ? 1 : kHuber / distance;
        weights += w;
        weighted += w * t;
      }
      weight_[i] = weights / (f * f);
      target_[i] = weighted / weights;
    }
    c = solve(sums, terms);
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

}  // namespace kneepoint
