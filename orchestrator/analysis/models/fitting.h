// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of every fit, over what the runs of each K sum up to: exact for fits on individual
// runs, since all runs of one K share their terms and their weight. A bootstrap calls it thousands
// of times, so it allocates nothing after its first call.
#pragma once

#include <array>
#include <vector>

#include "orchestrator/analysis/models/coefficients.h"
#include "orchestrator/analysis/statistics/times.h"

namespace kneepoint {

// Which terms a model has: bits in the order of Coefficients.
using TermSet = unsigned;
constexpr TermSet kOne = 1, kInverseK = 2, kLog2K = 4, kKMinus1 = 8;

struct ModelForm {
  const char* name;
  TermSet terms;
};

// Simplest first. Strong: ideal, amdahl, amdahl_log, usl, full. Weak: constant, log, linear,
// log_linear.
const std::vector<ModelForm>& model_forms(Mode mode);
int count_terms(TermSet terms);

struct SumsAtK {
  std::array<double, 4> terms{};
  double runs = 0;
  double mean = 0;                   // of T
  double mean_log = 0;               // of ln T
  double log_spread = 0;             // sum of squares of ln T about its mean
  double inverse = 0, inverse2 = 0;  // sums of 1/T and 1/T²: the weights to start with
};
std::vector<SumsAtK> sums_of(const Times& times);

class Fitter {
 public:
  // Minimises the relative error: 8 rounds of exact non-negative least squares with weights 1/T at
  // first and 1/f of the round before from then on.
  Coefficients fit(const std::vector<SumsAtK>& sums, TermSet terms);
  // The same with Huber's weights (1.345 robust deviations of log residuals): runs far off count
  // less.
  Coefficients fit_robust(const Times& times, TermSet terms);

 private:
  Coefficients solve(const std::vector<SumsAtK>& sums, TermSet terms);

  std::vector<double> rows_;
  std::vector<double> weight_, target_;  // of each K in this round
};

// Sum over runs of (ln T - ln f)²; infinite when f is 0 somewhere.
double log_residual(const std::vector<SumsAtK>& sums, const Coefficients& c);
// N·ln(SS/N) + 2k + 2k(k+1)/(N-k-1), k = terms + 1, SS/N at least 1e-18 so that exact data goes to
// the simplest; infinite when N <= k + 1.
double aicc(double log_residual, int runs, int terms);

struct Choice {
  TermSet terms = 0;
  Coefficients coefficients;
};
// The form with the least AICc among `candidates` (not empty); ties go to the first.
Choice choose(Fitter& fitter, const std::vector<SumsAtK>& sums,
              const std::vector<TermSet>& candidates);

}  // namespace kneepoint
