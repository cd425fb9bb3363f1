// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knees.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {

namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();
constexpr double kAgree = 2;
constexpr TermSet kUsl = kOne | kInverseK | kKMinus1;
constexpr int kFullKneeRuns = 5;  // from here on the bootstrap of medians has its level

// One row of the answer and how to compute its K on any curve.
struct Row {
  KneeRule rule;
  std::optional<double> floor;
  bool from_model = false;
};

class Rules {
 public:
  Rules(Mode mode, const Times& times, const std::vector<double>& floors, bool all)
      : mode_(mode), k0_(times.front().k), candidates_(identifiable(mode, times)) {
    for (const double floor : floors) rows_.push_back({KneeRule::efficiency, floor});
    if (!all) return;
    const bool strong = mode == Mode::strong, model = !candidates_.empty();
    rows_.push_back({KneeRule::power, {}, false});
    if (model) rows_.push_back({KneeRule::power, {}, true});
    rows_.push_back({KneeRule::marginal, {}, false});
    if (strong) rows_.push_back({KneeRule::min_time, {}, false});
    if (strong && model) rows_.push_back({KneeRule::min_time, {}, true});
    const bool usl = std::find(candidates_.begin(), candidates_.end(), kUsl) != candidates_.end();
    if (strong && usl) rows_.push_back({KneeRule::usl_peak, {}, true});
    rows_.push_back({KneeRule::kneedle, {}, false});
  }

  // Of this rule only what decides: its first row.
  void keep_first_of(KneeRule rule) {
    const auto first = std::find_if(rows_.begin(), rows_.end(),
                                    [rule](const Row& row) { return row.rule == rule; });
    rows_ = first == rows_.end() ? std::vector<Row>{} : std::vector<Row>{*first};
  }

  const std::vector<Row>& rows() const { return rows_; }
  // One K for each row; infinity: none, or beyond.
  void evaluate(const Times& times, std::span<double> out) const {
    const MeasuredCurve curve(mode_, times);
    Coefficients best, peak;
    if (any_row([](const Row& row) { return row.from_model; })) {
      Fitter fitter;
      const std::vector<SumsAtK> sums = sums_of(times);
      best = choose(fitter, sums, candidates_).coefficients;
      if (any_row([](const Row& row) { return row.rule == KneeRule::usl_peak; })) {
        peak = fitter.fit(sums, kUsl);
      }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = value(rows_[i], curve, best, peak);
  }

  // Where the model has it, at whatever K.
  std::optional<double> by_model(const Row& row, const Coefficients& c) const {
    if (row.floor) return crossing_k(mode_, c, k0_, *row.floor);
    return row.rule == KneeRule::power ? most_powerful_k(mode_, c) : fastest_k(c);
  }

 private:
  template <typename Predicate>
  bool any_row(Predicate predicate) const {
    return std::any_of(rows_.begin(), rows_.end(), predicate);
  }

  double value(const Row& row, const MeasuredCurve& curve, const Coefficients& best,
               const Coefficients& peak) const {
    if (row.floor) return find_crossing(curve.ks, curve.smoothed, *row.floor).k;
    if (row.from_model) {
      return by_model(row, row.rule == KneeRule::usl_peak ? peak : best).value_or(kNowhere);
    }
    if (row.rule == KneeRule::power) return most_powerful(curve);
    if (row.rule == KneeRule::marginal) return last_worthwhile(curve);
    return row.rule == KneeRule::min_time ? fastest(curve) : kneedle(curve);
  }

  Mode mode_;
  double k0_;
  std::vector<TermSet> candidates_;
  std::vector<Row> rows_;
};

std::vector<KneePoint> points_of(Mode mode, const Times& times) {
  std::vector<KneePoint> points;
  const std::vector<double> middle = medians(times);
  const std::vector<double> cost = normalised_cost(mode, times, middle);
  for (std::size_t i = 0; i < times.size(); ++i) {
    KneePoint& p = points.emplace_back();
    p.k = times[i].k;
    p.cost = cost[i];
    p.runs = static_cast<double>(times[i].seconds.size());
    p.exact = i == 0;
    if (p.exact) continue;
    p.efficiency = ratio_interval(times[0].seconds, times[i].seconds);
    if (!p.efficiency) continue;
    p.efficiency = scaled(*p.efficiency, middle[i] / middle[0] / cost[i]);
  }
  return points;
}

KneePlace place_of(const Times& times, double k) {
  if (k > times.back().k) return KneePlace::beyond;
  return k <= times.front().k ? KneePlace::below : KneePlace::inside;
}

void set_place(const Times& times, double k, bool may_extrapolate, Knee& knee) {
  knee.place = place_of(times, k);
  if (knee.place == KneePlace::inside) knee.k = k;
  if (may_extrapolate && knee.place == KneePlace::beyond && !knee.is_measured() &&
      std::isfinite(k)) {
    knee.extrapolated = k;
  }
}

void set_by_floor(const KneeAnswer& answer, Knee& knee) {
  knee.place = answer.place;
  knee.k = answer.k;
  knee.k_sure = answer.k_sure;
  knee.k_maybe = answer.k_maybe;
}

void set_interval(const Times& times, std::vector<double> values, Knee& knee) {
  const double last = times.back().k;
  const Bounds bounds = percentile_bounds(std::move(values), 0.95);
  knee.low = std::min(bounds.low, last);
  knee.open_high = bounds.high > last;
  if (!knee.open_high) knee.high = bounds.high;
}

void set_note(const Times& times, const std::string& model, Knee& knee) {
  const std::string last = "K=" + std::to_string(times.back().k);
  if (knee.rule == KneeRule::kneedle) {
    knee.note = "depends on the range of K measured: up to " + last + " here";
  } else if (knee.place == KneePlace::beyond && knee.floor && knee.extrapolated) {
    knee.note = model + " has it at about K=" + number_text(*knee.extrapolated) + ", extrapolated";
  } else if (knee.place == KneePlace::beyond && !knee.floor) {
    knee.note = "not within the range measured, up to " + last;
  }
}

std::vector<Knee> knees_of(Mode mode, const Times& times, const KneeOptions& options, bool all) {
  const Rules rules(mode, times, options.floors, all);
  const std::vector<Row>& rows = rules.rows();
  std::vector<double> points(rows.size());
  rules.evaluate(times, points);
  const ModelsAnswer models = fit_models(mode, times);
  const std::string model_name = models.fits.empty() ? "" : models.fits.front().name;
  const ModelFit* adequate = adequate_model(models);  // else it says nothing beyond the K measured
  std::vector<std::vector<double>> replicates;
  if (fewest_runs(times) >= 2) {
    replicates = joint_bootstrap(
        times, static_cast<int>(rows.size()),
        [&](const Times& sample, std::span<double> out) { rules.evaluate(sample, out); },
        options.bootstrap);
  }
  const std::vector<KneePoint> by_floor = points_of(mode, times);
  std::vector<Knee> knees;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Knee knee{.rule = rows[i].rule, .floor = rows[i].floor};
    knee.powers_of_two = !all;
    if (rows[i].from_model) knee.model = rows[i].rule == KneeRule::usl_peak ? "usl" : model_name;
    if (knee.floor) {
      set_by_floor(find_knee(by_floor, *knee.floor), knee);
    } else {
      set_place(times, points[i], adequate != nullptr, knee);
    }
    if (knee.floor && knee.place == KneePlace::beyond && adequate != nullptr) {
      const auto k = rules.by_model(rows[i], adequate->coefficients);
      if (k && *k > times.back().k) knee.extrapolated = k;
    }
    if (!replicates.empty()) set_interval(times, std::move(replicates[i]), knee);
    set_note(times, model_name, knee);
    knees.push_back(std::move(knee));
  }
  return knees;
}

void compare(const Times& times, KneesAnswer& answer) {
  struct Named {
    double k;
    std::string words;
  };
  std::vector<Named> named;
  for (const Knee& knee : answer.knees) {
    const bool counts = knee.floor
                            ? knee.floor == answer.knees.front().floor
                            : knee.rule == KneeRule::power || knee.rule == KneeRule::marginal;
    if (!counts || !knee.is_measured() || knee.powers_of_two) continue;
    const bool beyond = knee.place == KneePlace::beyond;
    const double edge = beyond ? times.back().k : times.front().k;
    const double k = knee.k.value_or(edge);
    const char* where = knee.k ? "" : beyond ? "at least " : "about ";
    named.push_back(
        {k, std::string(where) + "K=" + number_text(k) + " by " + to_string(knee.rule)});
  }
  const auto [least, most] = std::minmax_element(
      named.begin(), named.end(), [](const Named& a, const Named& b) { return a.k < b.k; });
  const double factor = most->k / least->k;
  answer.agree = factor <= kAgree;
  answer.agreement = answer.agree ? "efficiency, power and marginal agree within a factor of 2"
                                  : "the definitions differ by a factor of " + number_text(factor) +
                                        " (" + least->words + ", " + most->words +
                                        "): it depends on whether you pay for time or for nodes";
}

}  // namespace

std::optional<RuleKnee> find_rule_knee(Mode mode, const Times& times, KneeRule rule) {
  if (times.size() < 2) return std::nullopt;
  Rules rules(mode, times, {}, true);
  rules.keep_first_of(rule);
  if (rules.rows().empty()) return std::nullopt;
  const bool by_model = rules.rows().front().from_model;
  if (by_model && adequate_model(fit_models(mode, times)) == nullptr) return std::nullopt;
  double k = 0;
  rules.evaluate(times, {&k, 1});
  return RuleKnee{place_of(times, k), k};
}

KneesAnswer find_knees(Mode mode, const Times& times, const KneeOptions& options) {
  ENSURE(!options.floors.empty(), "the plan's floor is there");
  KneesAnswer answer;
  if (times.size() < 2) {
    answer.notes.push_back(times.empty() ? "no knee: no valid run"
                                         : "no knee: only K=" + std::to_string(times[0].k) +
                                               " has a valid run");
    return answer;
  }
  answer.knees = knees_of(mode, times, options, true);
  compare(times, answer);
  const int fewest = fewest_runs(times);
  if (fewest < 2) {
    answer.notes.emplace_back("one run at a K: knees have no interval");
  } else if (fewest < kFullKneeRuns) {
    answer.notes.emplace_back(
        "fewer than 5 runs at a K: the intervals of knees are too narrow for 95%");
  }
  answer.sawtooth = has_sawtooth(mode, times);
  const Times some = powers_of_two(times);
  if (answer.sawtooth && some.size() >= 2) {
    answer.notes.emplace_back(
        "K that are no powers of two are slower than the powers around them: the knee on the "
        "powers of two alone is given too");
    std::vector<Knee> more = knees_of(mode, some, options, false);
    std::move(more.begin(), more.end(), std::back_inserter(answer.knees));
  }
  return answer;
}

namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr double kWorthwhile = 0.5;   // of the ideal gain of a step
constexpr double kRuleExact = 1e-12;  // equality cases are exact
constexpr double kTooth = 0.01;       // without repeats, a fall in cost that counts

bool is_power_of_two(int k) {
  return std::has_single_bit(static_cast<unsigned>(k));
}

// The K of the largest value, the first of equals; beyond when it is the last.
double at_largest(const std::vector<int>& ks, const std::vector<double>& values) {
  const auto largest = std::max_element(values.begin(), values.end()) - values.begin();
  return largest + 1 == static_cast<std::ptrdiff_t>(ks.size()) ? kNoEnd : ks[largest];
}

}  // namespace

MeasuredCurve::MeasuredCurve(Mode mode, const Times& times) : seconds(medians(times)) {
  cost = normalised_cost(mode, times, seconds);
  std::vector<double> runs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    ks.push_back(times[i].k);
    runs.push_back(static_cast<double>(times[i].seconds.size()));
    speedup.push_back(static_cast<double>(ks[i]) / ks[0] / cost[i]);
  }
  smoothed = isotonic_increasing(cost, runs);
}

double most_powerful(const MeasuredCurve& curve) {
  std::vector<double> power;
  power.reserve(curve.ks.size());
  for (std::size_t i = 0; i < curve.ks.size(); ++i) {
    power.push_back(curve.speedup[i] / curve.cost[i]);
  }
  return at_largest(curve.ks, power);
}

double last_worthwhile(const MeasuredCurve& curve) {
  for (std::size_t i = 1; i < curve.ks.size(); ++i) {
    const double ideal = static_cast<double>(curve.ks[i]) / curve.ks[i - 1] - 1;
    const double gain = curve.speedup[i] / curve.speedup[i - 1] - 1;
    if (gain < kWorthwhile * ideal * (1 - kRuleExact)) return curve.ks[i - 1];
  }
  return kNoEnd;
}

double fastest(const MeasuredCurve& curve) {
  std::vector<double> rate;
  rate.reserve(curve.seconds.size());
  for (const double t : curve.seconds) rate.push_back(1 / t);
  return at_largest(curve.ks, rate);
}

double kneedle(const MeasuredCurve& curve) {
  const auto [least, most] = std::minmax_element(curve.speedup.begin(), curve.speedup.end());
  const double range = curve.ks.back() - curve.ks.front();
  double furthest = 0, k = kNoEnd;
  for (std::size_t i = 1; i + 1 < curve.ks.size(); ++i) {
    const double above =
        (curve.speedup[i] - *least) / (*most - *least) - (curve.ks[i] - curve.ks.front()) / range;
    if (above > furthest + kRuleExact) {
      furthest = above;
      k = curve.ks[i];
    }
  }
  return k;
}

bool has_sawtooth(Mode mode, const Times& times) {
  const std::vector<double> cost = normalised_cost(mode, times, medians(times));
  int pairs = 0, teeth = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (is_power_of_two(times[i - 1].k) || !is_power_of_two(times[i].k)) continue;
    ++pairs;
    const double fall = cost[i - 1] / cost[i];
    const auto interval = ratio_interval(times[i - 1].seconds, times[i].seconds);
    const double to_cost = fall / (median_seconds(times[i - 1]) / median_seconds(times[i]));
    if (interval ? interval->low * to_cost > 1 : fall > 1 + kTooth) ++teeth;
  }
  return teeth >= 2 || (teeth == 1 && pairs == 1);
}

Times powers_of_two(const Times& times) {
  Times some;
  std::copy_if(times.begin(), times.end(), std::back_inserter(some),
               [](const TimesAtK& at) { return is_power_of_two(at.k); });
  return some;
}

}  // namespace kneepoint
