// SPDX-License-Identifier: Apache-2.0
//
// Which model explains a curve, by docs/methods.md: fitted on individual runs, ranked by AICc,
// checked by leaving out each K in turn and by a test for lack of fit. A model that the data can't
// tell from others is not fitted; the answer says which K would change that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/analysis/statistics/times.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

constexpr double kPlausible = 6;          // delta AICc up to which a model stays in question
constexpr double kLackOfFitLevel = 0.01;  // p below it rejects a model
constexpr double kPredictTo = 4;          // times the largest K, unless asked for more

// The terms of a model, in the order of Coefficients.
enum class Term { one, inverse_k, log2_k, k_minus_1 };
const char* to_string(Term term);

// F of what the model misses at each K over what repeats scatter.
struct LackOfFit {
  double f = 0, p = 1;
  int df_model = 0, df_runs = 0;
};

// A coefficient at 0 is "not detectable": the largest value (one-sided 95%) that the runs allow.
struct UpperLimit {
  Term term = Term::one;
  double limit = 0;
  static constexpr auto fields() {
    using T = UpperLimit;
    return described(one_line, field("term", &T::term), field("at_most", &T::limit));
  }
};

struct ModelFit {
  std::string name;
  TermSet terms = 0;
  Coefficients coefficients;
  double log_residual = 0;  // sum over runs of (ln T - ln f)²
  double missed = 0;        // its root mean square: the relative error
  double aicc = 0, delta = 0, weight = 0;
  std::optional<double> left_out_rms;    // of ln T - ln f at K that the fit has not seen
  std::optional<LackOfFit> lack_of_fit;  // none without repeats
  std::vector<UpperLimit> not_detectable;
  // Strong only: a weak curve alone can't identify them.
  std::optional<double> serial_fraction;  // a/(a+b); USL's alpha
  std::optional<double> ceiling;          // 1/s; none: no ceiling seen
  std::optional<double> ceiling_reached;  // speedup at the largest K measured over the ceiling
  double log_share = 0;                   // c/T(1)
  double linear_share = 0;                // d/T(1); USL's beta
  std::optional<double> fastest_k;        // continuous; none: falls for ever
  bool fastest_in_range = false;          // within the K measured; else not to be printed as such

  bool lacks_fit() const { return lack_of_fit && lack_of_fit->p < kLackOfFitLevel; }
  static constexpr auto fields() {
    using T = ModelFit;
    return described(
        KP_NAMED(name, weight, coefficients, serial_fraction, ceiling, ceiling_reached),
        field("delta_aicc", &T::delta), field("left_out_rms", &T::left_out_rms),
        field("lack_of_fit_p",
              [](const T& fit) {
                return fit.lack_of_fit ? std::optional(fit.lack_of_fit->p) : std::nullopt;
              }),
        KP_NAMED(fastest_k, fastest_in_range, not_detectable));
  }
};

struct NotFitted {
  std::string name;
  TermSet terms = 0;
  std::vector<int> add_k;  // measuring these would allow it
  std::string why;
  static constexpr auto fields() {
    using T = NotFitted;
    return described(one_line, KP_NAMED(name, why, add_k));
  }
};

// T = a + b·K^-p: a diagnostic, not ranked with the others. p clearly above 1: superlinear.
struct PowerFit {
  double a = 0, b = 0, p = 1;
  double log_residual = 0, aicc = 0;
};

struct ModelsAnswer {
  std::vector<ModelFit> fits;  // best first; empty: too few K
  std::vector<NotFitted> not_fitted;
  std::optional<PowerFit> power;  // strong, from 5 K on
  std::vector<std::string> notes;
};

// `times` as ordered() gives them.
ModelsAnswer fit_models(Mode mode, const Times& times);

// ---- May anything be said by the best model? The one test that sentences, ceilings,
// extrapolations, what-ifs and recommendations ask. What a rejected model says stays in the tables
// of models only.
enum class Adequacy {
  adequate,
  untested,        // no K has repeats, or no degree of freedom is left: used, for want of a test
  too_few_points,  // no model could be fitted
  misfit,          // the best misses the runs by more than a quarter
  lack_of_fit,     // it misses more than the repeats scatter, p < 0.01
};
Adequacy adequacy(const ModelsAnswer& models);
// The best model; nullptr: there is none, or it is rejected.
const ModelFit* adequate_model(const ModelsAnswer& models);
// The one that may name the serial fraction and its ceiling: the ideal model alone was not chosen,
// so it can't say that there is no serial part.
const ModelFit* model_of_serial_fraction(const ModelsAnswer& models);

// The forms that these K and runs can tell apart: terms <= distinct K - 2 and AICc is finite.
std::vector<TermSet> identifiable(Mode mode, const Times& times);

// K that make `needed` distinct ones: past the largest as long as efficiency is above one half
// there, else into the widest gap.
std::vector<int> suggest_k(Mode mode, const Times& times, int needed);

}  // namespace kneepoint
