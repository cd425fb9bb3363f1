// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/models.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {
namespace {

constexpr int kPowerNeedsK = 5;
constexpr double kMostMissed = 0.25;  // relative error beyond which a fit explains nothing

std::array<double, 4> as_array(const Coefficients& c) {
  return {c.one, c.inverse_k, c.log2_k, c.k_minus_1};
}

TermSet active_terms(const Coefficients& c) {
  TermSet active = 0;
  const std::array<double, 4> values = as_array(c);
  for (int j = 0; j < 4; ++j) {
    if (values[j] > 0) active |= 1U << j;
  }
  return active;
}

std::optional<double> left_out_rms(Fitter& fitter, const std::vector<SumsAtK>& sums,
                                   TermSet terms) {
  if (static_cast<int>(sums.size()) - 1 < count_terms(terms)) return std::nullopt;
  double squares = 0, runs = 0;
  std::vector<SumsAtK> rest(sums.begin() + 1, sums.end());
  for (std::size_t out = 0; out < sums.size(); ++out) {
    squares += log_residual({sums[out]}, fitter.fit(rest, terms));
    runs += sums[out].runs;
    if (out < rest.size()) rest[out] = sums[out];
  }
  if (!std::isfinite(squares)) return std::nullopt;
  return std::sqrt(squares / runs);
}

std::optional<LackOfFit> lack_of_fit(const std::vector<SumsAtK>& sums, const ModelFit& fit,
                                     int runs) {
  double scatter = 0;
  for (const SumsAtK& s : sums) scatter += s.log_spread;
  const int ks = static_cast<int>(sums.size());
  LackOfFit test;
  test.df_model = ks - count_terms(active_terms(fit.coefficients));
  test.df_runs = runs - ks;
  if (test.df_runs < 1 || test.df_model < 1 || scatter <= 0) return std::nullopt;
  const double missed = std::max(0.0, fit.log_residual - scatter);
  test.f = missed / test.df_model / (scatter / test.df_runs);
  test.p = fisher_f_upper_tail(test.f, test.df_model, test.df_runs);
  return test;
}

// The free term last: its deviation is sigma over the last diagonal of the triangle.
std::vector<UpperLimit> upper_limits(const std::vector<SumsAtK>& sums, const ModelFit& fit,
                                     int runs) {
  std::vector<UpperLimit> limits;
  const TermSet active = active_terms(fit.coefficients);
  const int df = runs - count_terms(active) - 1;
  if (df < 1 || !std::isfinite(fit.log_residual)) return limits;
  const double sigma = std::sqrt(fit.log_residual / df);
  for (int free = 0; free < 4; ++free) {
    if ((fit.terms & ~active) >> free & 1U) {
      const int columns = count_terms(active) + 1, width = columns + 1;
      std::vector<double> rows;
      for (const SumsAtK& s : sums) {
        double f = 0;
        for (int j = 0; j < 4; ++j) f += as_array(fit.coefficients)[j] * s.terms[j];
        const double root = std::sqrt(s.runs) / f;
        for (int j = 0; j < 4; ++j) {
          if (active >> j & 1U) rows.push_back(root * s.terms[j]);
        }
        rows.push_back(root * s.terms[free]);
        rows.push_back(root * s.mean);
      }
      triangulate(rows.data(), static_cast<int>(sums.size()), width, columns);
      const double* last = &rows[static_cast<std::size_t>(columns - 1) * width];
      const double diagonal = std::abs(last[columns - 1]);
      if (diagonal == 0) continue;
      const double estimate = std::max(0.0, last[columns] / last[columns - 1]);
      limits.push_back(
          {static_cast<Term>(free), estimate + student_t_quantile(0.95, df) * sigma / diagonal});
    }
  }
  return limits;
}

void derive(Mode mode, const Times& times, ModelFit& fit) {
  const Coefficients& c = fit.coefficients;
  const double first = c.first();
  if (!(first > 0)) return;
  fit.log_share = c.log2_k / first;
  fit.linear_share = c.k_minus_1 / first;
  if (mode == Mode::weak) return;
  fit.serial_fraction = c.one / first;
  if (c.one > 0) {
    fit.ceiling = first / c.one;
    fit.ceiling_reached = c.one / c.at(times.back().k);
  }
  fit.fastest_k = fastest_k(c);
  fit.fastest_in_range =
      fit.fastest_k && *fit.fastest_k >= times.front().k && *fit.fastest_k <= times.back().k;
}

void rank(std::vector<ModelFit>& fits) {
  std::stable_sort(fits.begin(), fits.end(),
                   [](const ModelFit& a, const ModelFit& b) { return a.aicc < b.aicc; });
  double total = 0;
  for (ModelFit& fit : fits) {
    fit.delta = fit.aicc - fits.front().aicc;
    fit.weight = std::exp(-fit.delta / 2);
    total += fit.weight;
  }
  for (ModelFit& fit : fits) fit.weight /= total;
}

PowerFit fit_power(Fitter& fitter, std::vector<SumsAtK> sums, const Times& times, int runs) {
  PowerFit best;
  best.log_residual = std::numeric_limits<double>::infinity();
  const auto profile = [&](double p) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].terms[1] = std::pow(times[i].k, -p);
    const Coefficients c = fitter.fit(sums, kOne | kInverseK);
    double residual = 0;
    for (const SumsAtK& s : sums) {
      const double off = s.mean_log - std::log(c.one + c.inverse_k * s.terms[1]);
      residual += s.log_spread + s.runs * off * off;
    }
    if (residual < best.log_residual) best = {c.one, c.inverse_k, p, residual, 0};
  };
  for (int i = 1; i <= 40; ++i) profile(0.05 * i);
  const double coarse = best.p;
  for (int i = -9; i <= 9; ++i) profile(coarse + 0.005 * i);
  best.aicc = aicc(best.log_residual, runs, 3);
  return best;
}

std::string list_of(const std::vector<int>& ks) {
  std::string words;
  for (std::size_t i = 0; i < ks.size(); ++i) {
    if (i > 0) words += i + 1 == ks.size() ? " and " : ", ";
    words += "K=" + std::to_string(ks[i]);
  }
  return words;
}

int needed_k(TermSet terms) {
  return count_terms(terms) + 2;
}

int needed_runs(TermSet terms) {
  return count_terms(terms) + 3;  // the least N for which AICc is finite
}

NotFitted not_fitted(Mode mode, const ModelForm& form, const Times& times) {
  const int have = static_cast<int>(times.size()), need = needed_k(form.terms);
  NotFitted no{.name = form.name, .terms = form.terms};
  if (have < need) {
    no.add_k = suggest_k(mode, times, need);
    no.why = std::string(form.name) + " needs " + std::to_string(need) +
             " different K and there are " + std::to_string(have) + ": add " + list_of(no.add_k);
  } else {
    no.add_k = suggest_k(mode, times, have + 1);
    no.why = std::string(form.name) + " needs " + std::to_string(needed_runs(form.terms)) +
             " runs and there are " + std::to_string(count_runs(times)) + ": repeat, or add " +
             list_of(no.add_k);
  }
  return no;
}

void note_doubts(ModelsAnswer& answer) {
  if (answer.fits.empty()) {
    answer.notes.push_back("no model: " + answer.not_fitted.front().why);
    return;
  }
  const ModelFit& best = answer.fits.front();
  if (answer.fits.size() == 1) {
    answer.notes.push_back("only the model " + best.name +
                           " could be fitted: it was not chosen among several");
  }
  if (best.lacks_fit()) {
    answer.notes.push_back(
        "no model adequate: what " + best.name +
        " misses is more than the repeats scatter (lack of fit, p < 0.01); don't extrapolate");
  } else if (adequacy(answer) == Adequacy::misfit) {
    answer.notes.push_back("no model adequate: " + best.name + " misses the runs by " +
                           number_percent(best.missed, 2) + " on average; don't extrapolate");
  }
}

}  // namespace

std::vector<TermSet> identifiable(Mode mode, const Times& times) {
  std::vector<TermSet> sets;
  for (const ModelForm& form : model_forms(mode)) {
    if (static_cast<int>(times.size()) >= needed_k(form.terms) &&
        count_runs(times) >= needed_runs(form.terms)) {
      sets.push_back(form.terms);
    }
  }
  return sets;
}

std::vector<int> suggest_k(Mode mode, const Times& times, int needed) {
  ENSURE(!times.empty(), "a curve has a point");
  std::vector<int> ks;
  for (const TimesAtK& at : times) ks.push_back(at.k);
  const bool efficient = normalised_cost(mode, times, medians(times)).back() <= 2;
  std::vector<int> added;
  while (static_cast<int>(ks.size()) < needed) {
    int next = ks.back() > std::numeric_limits<int>::max() / 2 ? 0 : ks.back() * 2;
    double widest = 1.5;
    for (std::size_t i = 1; i < ks.size() && (!efficient || next == 0); ++i) {
      const double ratio = static_cast<double>(ks[i]) / ks[i - 1];
      const int middle = static_cast<int>(std::lround(std::sqrt(1.0 * ks[i] * ks[i - 1])));
      if (ratio > widest && middle > ks[i - 1] && middle < ks[i]) {
        widest = ratio;
        next = middle;
      }
    }
    if (next == 0) break;
    ks.insert(std::lower_bound(ks.begin(), ks.end(), next), next);
    added.push_back(next);
  }
  std::sort(added.begin(), added.end());
  return added;
}

ModelsAnswer fit_models(Mode mode, const Times& times) {
  ENSURE(!times.empty(), "a curve has a point");
  const std::vector<SumsAtK> sums = sums_of(times);
  const int runs = count_runs(times);
  const std::vector<TermSet> fitted = identifiable(mode, times);
  Fitter fitter;
  ModelsAnswer answer;
  for (const ModelForm& form : model_forms(mode)) {
    if (std::find(fitted.begin(), fitted.end(), form.terms) == fitted.end()) {
      answer.not_fitted.push_back(not_fitted(mode, form, times));
      continue;
    }
    ModelFit fit{.name = form.name, .terms = form.terms};
    fit.coefficients = fitter.fit(sums, form.terms);
    fit.log_residual = log_residual(sums, fit.coefficients);
    fit.missed = std::sqrt(fit.log_residual / runs);
    fit.aicc = aicc(fit.log_residual, runs, count_terms(form.terms));
    fit.left_out_rms = left_out_rms(fitter, sums, form.terms);
    fit.lack_of_fit = lack_of_fit(sums, fit, runs);
    fit.not_detectable = upper_limits(sums, fit, runs);
    derive(mode, times, fit);
    answer.fits.push_back(std::move(fit));
  }
  if (!answer.fits.empty()) rank(answer.fits);
  if (mode == Mode::strong && static_cast<int>(times.size()) >= kPowerNeedsK) {
    answer.power = fit_power(fitter, sums, times, runs);
  }
  note_doubts(answer);
  return answer;
}

const char* to_string(Term term) {
  constexpr const char* kWords[] = {"one", "inverse_k", "log2_k", "k_minus_1"};
  return kWords[static_cast<int>(term)];
}

Adequacy adequacy(const ModelsAnswer& models) {
  if (models.fits.empty()) return Adequacy::too_few_points;
  const ModelFit& best = models.fits.front();
  if (best.missed > kMostMissed) return Adequacy::misfit;
  if (best.lacks_fit()) return Adequacy::lack_of_fit;
  return best.lack_of_fit ? Adequacy::adequate : Adequacy::untested;
}

const ModelFit* adequate_model(const ModelsAnswer& models) {
  const Adequacy found = adequacy(models);
  const bool usable = found == Adequacy::adequate || found == Adequacy::untested;
  return usable ? &models.fits.front() : nullptr;
}

const ModelFit* model_of_serial_fraction(const ModelsAnswer& models) {
  const ModelFit* best = adequate_model(models);
  const bool chosen = best != nullptr && (models.fits.size() > 1 || (best->terms & kOne) != 0);
  return chosen && best->serial_fraction ? best : nullptr;
}

}  // namespace kneepoint
