// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of every fit, over what the runs of each K sum up to: exact for fits on individual
// runs, since all runs of one K share their terms and their weight. A bootstrap calls it thousands
// of times, so it allocates nothing after its first call.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/model/shape.h"

namespace kneepoint {

// ---- T(K) = one + inverse_k/K + log2_k·log2 K + k_minus_1·(K-1), all >= 0: what every model is a
// part of, and the places on it that one asks for. Closed forms where there are any, else
// bisection.

struct Coefficients {
  double one = 0, inverse_k = 0, log2_k = 0, k_minus_1 = 0;

  double at(double k) const;                        // T(K)
  double first() const { return one + inverse_k; }  // T(1)
  static constexpr auto fields() {
    using T = Coefficients;
    return described(one_line, KP_NAMED(one, inverse_k, log2_k, k_minus_1));
  }
};

// The four terms at K, in the order of Coefficients.
std::array<double, 4> terms_at(double k);

// The K >= 1 where T is least; none when T falls for ever.
std::optional<double> fastest_k(const Coefficients& c);
// The K >= 1 where S·E is largest: strong max 1/(K·T²), weak max K/T²; none when it grows for ever.
std::optional<double> most_powerful_k(Mode mode, const Coefficients& c);
// The K >= k0 where E, relative to k0, falls to the floor; none when it never does.
std::optional<double> crossing_k(Mode mode, const Coefficients& c, double k0, double floor);

// ---- Fitting

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

// ---- Least squares with coefficients >= 0, exactly: every set of non-zero coefficients is tried,
// so there are no starting values, no local minima and nothing that fails to converge.

constexpr int kMostColumns = 5;

struct NonNegative {
  std::array<double, kMostColumns> x{};  // 0: not in the set
  double residual = 0;                   // sum of squares
};

// `rows` holds one row after the other, each `columns` factors and then its right side; it is
// overwritten. Of sets that explain the data equally well up to rounding the smallest wins; columns
// that depend on each other are never in one set. 1 <= columns <= kMostColumns.
NonNegative solve_non_negative(std::vector<double>& rows, int columns);

// Householder: zeros below the diagonal of the first `columns` columns of a row-major matrix, in
// place; the same reflections on the columns to the right of them.
void triangulate(double* matrix, int rows, int width, int columns);

}  // namespace kneepoint
