// SPDX-License-Identifier: Apache-2.0
//
// alpha and beta of the network out of measured all-reduces, which algorithm explains them, and
// what another size or K would take. Relative errors, coefficients never below 0.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/statistics/require.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// ---- What an all-reduce costs, by algorithm: alpha seconds per message, beta per byte sent, gamma
// per byte reduced. Every cost is linear in those three; the fit goes the other way.

enum class Allreduce { ring, recursive_doubling, rabenseifner, binomial_tree };
inline constexpr std::array kAllreduces = {Allreduce::ring, Allreduce::recursive_doubling,
                                           Allreduce::rabenseifner, Allreduce::binomial_tree};
const char* to_string(Allreduce algorithm);  // "ring", "recursive doubling"...

struct LinkCost {
  double alpha = 0;  // seconds per message
  double beta = 0;   // seconds per byte sent
  double gamma = 0;  // seconds per byte reduced
  KP_DESCRIBED(LinkCost, alpha, beta, gamma);
};

// How often each of alpha, beta, gamma is paid. K is whole; all are 0 at K = 1.
struct CostColumns {
  double alpha = 0, beta = 0, gamma = 0;
};
Result<CostColumns> allreduce_columns(Allreduce algorithm, double bytes, double k);

double seconds_of(const CostColumns& columns, const LinkCost& cost);

// ---- The fit

struct AllreduceRow {
  double bytes = 0, k = 0, seconds = 0;
};

struct AllreduceFit {
  Allreduce algorithm = Allreduce::ring;
  LinkCost cost;  // gamma is the one given, or inside beta: see gamma_within_beta
  bool gamma_within_beta = false;
  double relative_error = 0;  // root of the mean squared relative residual
  double sigma = 0;           // the same with the fitted coefficients taken off the count
  int rows = 0, fitted = 0;   // rows used, coefficients above 0
  double covariance[2][2] = {{0, 0}, {0, 0}};  // of alpha and beta, those above 0
  // One-sided 95% limits of the fit without the bound at 0; none without spare rows.
  std::optional<double> alpha_low, alpha_high, beta_low, beta_high;
  static constexpr auto fields() {
    using T = AllreduceFit;
    return described(one_line, field("algorithm", &T::algorithm), fields_of(&T::cost),
                     field("relative_error", &T::relative_error));
  }
};

struct AllreduceModel {
  std::vector<AllreduceFit> fits;  // best first; the others are no rivals unless named
  int plausible = 1;               // the first so many are not told apart by these rows
  std::vector<std::string> notes;  // what these rows can't identify, and what to measure
};

// Rows at K = 1 are left out. `gamma`: seconds per byte reduced if known from elsewhere; its column
// follows beta's, so times of all-reduces alone can't give it.
Result<AllreduceModel> fit_allreduce(const std::vector<AllreduceRow>& rows,
                                     std::optional<double> gamma = std::nullopt);

struct AllreducePrediction {
  double bytes = 0, k = 0;           // what was asked for
  double seconds = 0;                // by the best
  std::optional<Interval> interval;  // 90%, over all plausible algorithms; none without spare rows
  bool extrapolated = false;         // outside the measured sizes or K
  std::string sentence;
  static constexpr auto fields() {
    using T = AllreducePrediction;
    return described(one_line, field("time", &T::seconds),
                     fields_of([](const T& p) { return bounds_of(p.interval); }),
                     KP_NAMED(extrapolated, sentence));
  }
};
Result<AllreducePrediction> predict_allreduce(const AllreduceModel& model,
                                              const std::vector<AllreduceRow>& rows, double bytes,
                                              double k);

}  // namespace kneepoint
