// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/breakdown/collective_fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/models/fitting.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {

namespace {

constexpr double kPredictionLevel = 0.90;
constexpr double kLimitLevel = 0.95;
constexpr double kPlausibleFit = 6;      // in N·ln(SS): as the AICc differences of models
constexpr double kLeastSquares = 1e-18;  // per row: below it is rounding, not fit
constexpr int kReweightings = 8;
constexpr double kSameDirection = 1e-6;  // sine of the angle between columns that are one

struct Weighted {
  double a, b, y;  // columns of alpha and beta, and the time; all over the fitted time
};

double squares(const std::vector<Weighted>& rows, double alpha, double beta) {
  double sum = 0;
  for (const Weighted& r : rows) {
    const double d = r.y - alpha * r.a - beta * r.b;
    sum += d * d;
  }
  return sum;
}

struct Gram {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  // Share of b's length that is not along a: 0 when the columns are one.
  double sine() const { return std::sqrt(std::max(0.0, 1 - ab * ab / (aa * bb))); }
};

Gram gram(const std::vector<Weighted>& rows) {
  Gram g;
  for (const Weighted& r : rows) {
    g.aa += r.a * r.a;
    g.ab += r.a * r.b;
    g.bb += r.b * r.b;
    g.ay += r.a * r.y;
    g.by += r.b * r.y;
  }
  return g;
}

// Limits of both coefficients, each as if it might be below 0 too.
void add_limits(AllreduceFit& fit, const std::vector<Weighted>& rows) {
  const Gram g = gram(rows);
  const int spare = fit.rows - 2;
  if (spare < 1 || g.sine() <= kSameDirection) return;
  const double determinant = g.aa * g.bb - g.ab * g.ab;
  const double alpha = (g.ay * g.bb - g.by * g.ab) / determinant;
  const double beta = (g.by * g.aa - g.ay * g.ab) / determinant;
  const double sigma = std::sqrt(squares(rows, alpha, beta) / spare);
  const double t = student_t_quantile(kLimitLevel, spare);
  const double alpha_half = t * sigma * std::sqrt(g.bb / determinant);
  const double beta_half = t * sigma * std::sqrt(g.aa / determinant);
  fit.alpha_low = std::max(0.0, alpha - alpha_half);
  fit.alpha_high = std::max(0.0, alpha + alpha_half);
  fit.beta_low = std::max(0.0, beta - beta_half);
  fit.beta_high = std::max(0.0, beta + beta_half);
}

// A coefficient that the rows do not tell from 0.
void note_undetected(std::vector<std::string>& notes, const std::string& name, double value,
                     const std::optional<double>& low, const std::optional<double>& high,
                     const std::string& remedy) {
  if (value > 0 && low.value_or(value) > 0) return;
  std::string text = name + " is not detectable here";
  if (high) text += " (at most " + number_text(*high) + " s)";
  notes.push_back(text + "; " + remedy);
}

struct FitColumn {
  double a, b, gamma_seconds, seconds;
};

AllreduceFit fit_one(Allreduce algorithm, const std::vector<FitColumn>& columns,
                     const std::optional<double>& gamma) {
  std::vector<double> fitted;
  for (const FitColumn& c : columns) fitted.push_back(c.seconds);
  std::vector<Weighted> rows(columns.size());
  double alpha = 0, beta = 0, sum = 0;
  for (int round = 0; round < kReweightings; ++round) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const FitColumn& c = columns[i];
      rows[i] = {c.a / fitted[i], c.b / fitted[i], (c.seconds - c.gamma_seconds) / fitted[i]};
    }
    std::vector<double> matrix;
    for (const Weighted& row : rows) matrix.insert(matrix.end(), {row.a, row.b, row.y});
    const NonNegative solution = solve_non_negative(matrix, 2);
    alpha = solution.x[0];
    beta = solution.x[1];
    sum = solution.residual;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const FitColumn& c = columns[i];
      const double f = alpha * c.a + beta * c.b + c.gamma_seconds;
      if (f > 0) fitted[i] = f;
    }
  }
  AllreduceFit fit;
  fit.algorithm = algorithm;
  fit.cost = {alpha, beta, gamma.value_or(0)};
  fit.gamma_within_beta = !gamma;
  fit.rows = static_cast<int>(columns.size());
  fit.fitted = (alpha > 0 ? 1 : 0) + (beta > 0 ? 1 : 0);
  fit.relative_error = std::sqrt(sum / fit.rows);
  add_limits(fit, rows);
  if (fit.rows <= fit.fitted) return fit;
  const double variance = sum / (fit.rows - fit.fitted);
  fit.sigma = std::sqrt(variance);
  const Gram g = gram(rows);
  const double determinant = g.aa * g.bb - g.ab * g.ab;
  if (alpha > 0 && beta > 0 && determinant > 0) {
    fit.covariance[0][0] = variance * g.bb / determinant;
    fit.covariance[0][1] = fit.covariance[1][0] = -variance * g.ab / determinant;
    fit.covariance[1][1] = variance * g.aa / determinant;
  } else {
    if (alpha > 0) fit.covariance[0][0] = variance / g.aa;
    if (beta > 0) fit.covariance[1][1] = variance / g.bb;
  }
  return fit;
}

double score(const AllreduceFit& fit) {
  const double mean = std::max(fit.relative_error * fit.relative_error, kLeastSquares);
  return fit.rows * std::log(mean);
}

std::string names(const AllreduceModel& model) {
  std::string text;
  for (int i = 0; i < model.plausible; ++i) {
    text += (i == 0 ? "" : i + 1 == model.plausible ? " and " : ", ");
    text += to_string(model.fits[i].algorithm);
  }
  return text;
}

void add_notes(AllreduceModel& model, const std::set<double>& sizes, const std::set<double>& ks) {
  const AllreduceFit& best = model.fits.front();
  auto& notes = model.notes;
  if (best.gamma_within_beta) {
    notes.push_back(
        "beta includes the reduction of a byte: gamma is paid in step with beta, so "
        "times alone can't part them; measure a local reduction to know it");
  }
  if (ks.size() < 2) {
    notes.push_back(
        "one K only: every algorithm is a line in the message size there; measure a "
        "second K to tell them apart");
  } else if (model.plausible > 1) {
    notes.push_back("these rows do not tell " + names(model) + " apart; more K would");
  }
  if (sizes.size() < 2) {
    notes.push_back("one message size only: alpha and beta rest on K alone; measure a second size");
  }
  note_undetected(notes, "alpha", best.cost.alpha, best.alpha_low, best.alpha_high,
                  "measure smaller messages");
  note_undetected(notes, "beta", best.cost.beta, best.beta_low, best.beta_high,
                  "measure larger messages");
  if (best.rows <= best.fitted) {
    notes.push_back("as many coefficients as rows: no interval; measure more sizes or K");
  }
}

}  // namespace

Result<AllreduceModel> fit_allreduce(const std::vector<AllreduceRow>& rows,
                                     std::optional<double> gamma) {
  if (gamma) TRY(require_at_least(*gamma, 0, "gamma"));
  std::set<double> sizes, ks;
  for (const AllreduceRow& row : rows) {
    TRY(require_positive(row.seconds, "a measured time"));
    TRY(allreduce_columns(Allreduce::ring, row.bytes, row.k));
    if (row.k == 1) continue;
    sizes.insert(row.bytes);
    ks.insert(row.k);
  }
  if (sizes.size() * ks.size() < 2) {
    return refusal("alpha and beta need all-reduces of two sizes, or at two K above 1");
  }
  AllreduceModel model;
  for (const Allreduce algorithm : kAllreduces) {
    std::vector<FitColumn> columns;
    for (const AllreduceRow& row : rows) {
      if (row.k == 1) continue;
      TRY_ASSIGN(const CostColumns c, allreduce_columns(algorithm, row.bytes, row.k));
      columns.push_back({c.alpha, c.beta, c.gamma * gamma.value_or(0), row.seconds});
    }
    model.fits.push_back(fit_one(algorithm, columns, gamma));
  }
  std::stable_sort(
      model.fits.begin(), model.fits.end(),
      [](const AllreduceFit& x, const AllreduceFit& y) { return score(x) < score(y); });
  while (model.plausible < static_cast<int>(model.fits.size()) &&
         score(model.fits[model.plausible]) - score(model.fits.front()) <= kPlausibleFit) {
    ++model.plausible;
  }
  add_notes(model, sizes, ks);
  return model;
}

Result<AllreducePrediction> predict_allreduce(const AllreduceModel& model,
                                              const std::vector<AllreduceRow>& rows, double bytes,
                                              double k) {
  if (model.fits.empty()) return refusal("nothing was fitted");
  AllreducePrediction answer{.bytes = bytes, .k = k};
  for (int i = 0; i < model.plausible; ++i) {
    const AllreduceFit& fit = model.fits[i];
    TRY_ASSIGN(const CostColumns c, allreduce_columns(fit.algorithm, bytes, k));
    const double seconds = seconds_of(c, fit.cost);
    if (i == 0) answer.seconds = seconds;
    if (fit.rows <= fit.fitted || seconds <= 0) continue;
    const double a = c.alpha / seconds, b = c.beta / seconds;
    const double variance = fit.sigma * fit.sigma + a * a * fit.covariance[0][0] +
                            2 * a * b * fit.covariance[0][1] + b * b * fit.covariance[1][1];
    const double half =
        student_t_quantile(0.5 + kPredictionLevel / 2, fit.rows - fit.fitted) * std::sqrt(variance);
    // On the log scale: a time stays above 0 however wide the interval.
    const double low = seconds * std::exp(-half), high = seconds * std::exp(half);
    if (!answer.interval) {
      answer.interval = Interval{low, high, kPredictionLevel, "residuals of the fit"};
    }
    answer.interval->low = std::min(answer.interval->low, low);
    answer.interval->high = std::max(answer.interval->high, high);
  }
  const auto inside = [&](double value, double AllreduceRow::*field) {
    bool below = false, above = false;
    for (const AllreduceRow& row : rows) {
      if (row.k == 1) continue;
      below = below || row.*field <= value;
      above = above || row.*field >= value;
    }
    return below && above;
  };
  answer.extrapolated =
      k > 1 && !(inside(bytes, &AllreduceRow::bytes) && inside(k, &AllreduceRow::k));
  answer.sentence = "at K=" + number_text(k) + " the all-reduce of " + number_text(bytes) +
                    " bytes takes " + number_text(answer.seconds) + " s";
  if (answer.interval) {
    answer.sentence += " (" + number_text(answer.interval->low) + " to " +
                       number_text(answer.interval->high) + ")";
  }
  answer.sentence += " by " + names(model);
  if (answer.extrapolated) answer.sentence += ", extrapolated";
  return answer;
}

namespace {

Result<void> require_ranks(double k) {
  TRY(require_workers(k));
  if (k != std::floor(k))
    return refusal("K is " + number_text(k) + "; ranks come in whole numbers");
  return {};
}

}  // namespace

const char* to_string(Allreduce algorithm) {
  constexpr const char* kWords[] = {"ring", "recursive doubling", "Rabenseifner", "binomial tree"};
  return kWords[static_cast<int>(algorithm)];
}

Result<CostColumns> allreduce_columns(Allreduce algorithm, double bytes, double k) {
  TRY(require_positive(bytes, "the message size"));
  TRY(require_ranks(k));
  if (k == 1) return CostColumns{};
  const double part = (k - 1) / k * bytes;
  const double rounds = std::floor(std::log2(k));
  const bool power_of_two = std::exp2(rounds) == k;
  // Other K: the ranks above the power of two hand their vector over first and get the result last.
  const double folds = power_of_two ? 0 : 1;
  switch (algorithm) {
    case Allreduce::ring:
      return CostColumns{2 * (k - 1), 2 * part, part};
    case Allreduce::recursive_doubling:
      return CostColumns{rounds + 2 * folds, (rounds + 2 * folds) * bytes,
                         (rounds + folds) * bytes};
    case Allreduce::rabenseifner:
      return CostColumns{2 * rounds + 2 * folds, 2 * part + 2 * folds * bytes,
                         part + folds * bytes};
    case Allreduce::binomial_tree: {
      const double levels = rounds + folds;
      return CostColumns{2 * levels, 2 * levels * bytes, levels * bytes};
    }
  }
  return refusal("no such all-reduce");
}

double seconds_of(const CostColumns& c, const LinkCost& cost) {
  return c.alpha * cost.alpha + c.beta * cost.beta + c.gamma * cost.gamma;
}

}  // namespace kneepoint
