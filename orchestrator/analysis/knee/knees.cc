// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knees.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "orchestrator/analysis/knee/crossing.h"
#include "orchestrator/analysis/knee/knee_rules.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();
constexpr double kAgree = 2;
constexpr TermSet kUsl = kOne | kInverseK | kKMinus1;
constexpr int kFullKneeRuns = 5;  // from here on the bootstrap of medians has its level

// One row of the answer and how to compute its K on any curve.
struct Row {
  std::string rule;
  std::optional<double> floor;
  bool from_model = false;
};

class Rules {
 public:
  Rules(Mode mode, const Times& times, const std::vector<double>& floors, bool all)
      : mode_(mode), k0_(times.front().k), candidates_(identifiable(mode, times)) {
    for (const double floor : floors) rows_.push_back({"efficiency", floor});
    if (!all) return;
    const bool strong = mode == Mode::strong, model = !candidates_.empty();
    rows_.push_back({"power", {}, false});
    if (model) rows_.push_back({"power", {}, true});
    rows_.push_back({"marginal", {}, false});
    if (strong) rows_.push_back({"min_time", {}, false});
    if (strong && model) rows_.push_back({"min_time", {}, true});
    const bool usl = std::find(candidates_.begin(), candidates_.end(), kUsl) != candidates_.end();
    if (strong && usl) rows_.push_back({"usl_peak", {}, true});
    rows_.push_back({"kneedle", {}, false});
  }

  const std::vector<Row>& rows() const { return rows_; }
  bool has_model() const { return !candidates_.empty(); }

  Choice model(const Times& times) const {
    Fitter fitter;
    return choose(fitter, sums_of(times), candidates_);
  }

  // One K for each row; infinity: none, or beyond.
  void evaluate(const Times& times, std::span<double> out) const {
    const MeasuredCurve curve(mode_, times);
    Coefficients best, peak;
    if (any_row([](const Row& row) { return row.from_model; })) {
      Fitter fitter;
      const std::vector<SumsAtK> sums = sums_of(times);
      best = choose(fitter, sums, candidates_).coefficients;
      if (any_row([](const Row& row) { return row.rule == "usl_peak"; })) {
        peak = fitter.fit(sums, kUsl);
      }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = value(rows_[i], curve, best, peak);
  }

  // Where the model has it, at whatever K.
  std::optional<double> by_model(const Row& row, const Coefficients& c) const {
    if (row.floor) return crossing_k(mode_, c, k0_, *row.floor);
    return row.rule == "power" ? most_powerful_k(mode_, c) : fastest_k(c);
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
      return by_model(row, row.rule == "usl_peak" ? peak : best).value_or(kNowhere);
    }
    if (row.rule == "power") return most_powerful(curve);
    if (row.rule == "marginal") return last_worthwhile(curve);
    return row.rule == "min_time" ? fastest(curve) : kneedle(curve);
  }

  Mode mode_;
  double k0_;
  std::vector<TermSet> candidates_;
  std::vector<Row> rows_;
};

void set_sure_and_maybe(Mode mode, const Times& times, Knee& knee) {
  knee.k_sure = knee.k_maybe = times.front().k;
  bool sure = true, maybe = true;
  const std::vector<double> middle = medians(times);
  const std::vector<double> cost = normalised_cost(mode, times, middle);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double e = 1 / cost[i], by_time = middle[0] / middle[i];
    const auto interval = ratio_interval(times[0].seconds, times[i].seconds);
    sure = sure && interval && reaches(interval->low * e / by_time, *knee.floor);
    maybe = maybe && reaches(interval ? interval->high * e / by_time : e, *knee.floor);
    if (sure) knee.k_sure = times[i].k;
    if (maybe) knee.k_maybe = times[i].k;
  }
}

void set_place(const Times& times, double k, Knee& knee) {
  const double first = times.front().k, second = times[1].k, last = times.back().k;
  if (k > last) {
    knee.status = "beyond";
    if (knee.basis != "measured" && std::isfinite(k)) knee.extrapolated = k;
  } else if (knee.floor ? k < second : k <= first) {
    knee.status = "below";
  } else {
    knee.status = "inside";
    knee.k = k;
  }
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
  if (knee.rule == "kneedle") {
    knee.note = "depends on the range of K measured: up to " + last + " here";
  } else if (knee.status == "beyond" && knee.rule == "efficiency" && knee.extrapolated) {
    knee.note = model + " has it at about K=" + format_number("%.3g", *knee.extrapolated) +
                ", extrapolated";
  } else if (knee.status == "beyond" && knee.rule != "efficiency") {
    knee.note = "not within the range measured, up to " + last;
  }
}

std::vector<Knee> knees_of(Mode mode, const Times& times, const KneeOptions& options, bool all) {
  const Rules rules(mode, times, options.floors, all);
  const std::vector<Row>& rows = rules.rows();
  std::vector<double> points(rows.size());
  rules.evaluate(times, points);
  Choice model;
  std::string model_name;
  if (rules.has_model()) {
    model = rules.model(times);
    for (const ModelForm& form : model_forms(mode)) {
      if (form.terms == model.terms) model_name = form.name;
    }
  }
  std::vector<std::vector<double>> replicates;
  if (fewest_runs(times) >= 2) {
    replicates = joint_bootstrap(
        times, static_cast<int>(rows.size()),
        [&](const Times& sample, std::span<double> out) { rules.evaluate(sample, out); },
        options.bootstrap);
  }
  std::vector<Knee> knees;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Knee knee{.rule = rows[i].rule, .basis = "measured", .floor = rows[i].floor};
    knee.powers_of_two = !all;
    if (rows[i].from_model) knee.basis = rows[i].rule == "usl_peak" ? "usl" : model_name;
    set_place(times, points[i], knee);
    if (knee.floor) set_sure_and_maybe(mode, times, knee);
    if (knee.floor && knee.status == "beyond" && rules.has_model()) {
      const auto k = rules.by_model(rows[i], model.coefficients);
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
    const bool counts = knee.rule == "efficiency" ? knee.floor == answer.knees.front().floor
                                                  : knee.rule == "power" || knee.rule == "marginal";
    if (!counts || knee.basis != "measured" || knee.powers_of_two) continue;
    const double edge = knee.status == "beyond" ? times.back().k : times.front().k;
    const double k = knee.k.value_or(edge);
    const char* where = knee.k ? "" : knee.status == "beyond" ? "at least " : "about ";
    named.push_back({k, std::string(where) + "K=" + format_number("%.3g", k) + " by " + knee.rule});
  }
  const auto [least, most] = std::minmax_element(
      named.begin(), named.end(), [](const Named& a, const Named& b) { return a.k < b.k; });
  const double factor = most->k / least->k;
  answer.agree = factor <= kAgree;
  answer.agreement = answer.agree ? "efficiency, power and marginal agree within a factor of 2"
                                  : "the definitions differ by a factor of " +
                                        format_number("%.3g", factor) + " (" + least->words + ", " +
                                        most->words +
                                        "): it depends on whether you pay for time or for nodes";
}

}  // namespace

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

}  // namespace kneepoint
