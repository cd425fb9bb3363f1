// SPDX-License-Identifier: Apache-2.0
//
// Doubling until the score surely rises; then the K of the scale beside the best one; then runs at
// the best and at those that may still be better than it.
#include "orchestrator/analysis/knee/adaptive_search.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/ensure.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {
namespace {

constexpr double kSure = 3;            // standard errors, where runs are too few for an interval
constexpr double kMedianError = 1.25;  // of a median over that of a mean
constexpr double kUnknownNoise = 0.05;

class RecommendationSearch {
 public:
  RecommendationSearch(const SearchCurve& curve, const RecommendationRules& rules)
      : curve_(curve),
        rules_(rules),
        enough_(std::min(rules.most, kRunsForAnInterval)),
        reach_(curve) {
    ENSURE(!curve.scale.empty() && rules.first >= 1 && rules.most >= rules.first, "a search");
    for (const TimesAtK& at : curve.times) scores_.push_back(rules.score(at.k, median_seconds(at)));
    noise_ = noise();
  }

  RecommendationDecision decide() {
    if (curve_.times.empty()) return begin();
    best_ = static_cast<std::size_t>(std::min_element(scores_.begin(), scores_.end()) -
                                     scores_.begin());
    if (!std::isfinite(scores_[best_])) return stop("no K that was measured can be priced");
    answer_.best = k_of(best_);
    if (climb() || look_beside() || bring_runs()) return std::move(answer_);
    return tell_apart();
  }

 private:
  int k_of(std::size_t i) const { return curve_.times[i].k; }
  int runs_of(std::size_t i) const { return static_cast<int>(curve_.times[i].seconds.size()); }
  int asked(int k) const { return curve_.asked_at(k); }
  std::string name(std::size_t i) const { return "K=" + std::to_string(k_of(i)); }
  double ratio(std::size_t i) const { return scores_[i] / scores_[best_]; }
  // From this ratio on a K is not better than the best one by more than is allowed.
  double good_enough() const { return 1 / (1 + rules_.within); }

  void want(int k, int runs) {
    const int to = std::min(runs, rules_.most);
    if (to > asked(k)) answer_.steps.push_back({k, to - asked(k)});
  }

  RecommendationDecision& stop(const std::string& why) {
    answer_.steps.clear();
    answer_.why = why;
    return answer_;
  }

  // The first K, and where those fail the next ones up: as for the knee.
  RecommendationDecision begin() {
    const SearchDecision first =
        next_step(curve_, {.first = rules_.first, .most = rules_.most, .seed = rules_.seed});
    answer_.steps = first.steps;
    answer_.why = first.why;
    return std::move(answer_);
  }

  // Of single runs, as a share of T, pooled over all K.
  double noise() const {
    double squares = 0;
    int freedom = 0;
    for (const TimesAtK& at : curve_.times) {
      const double middle = std::log(median_seconds(at));
      for (const double t : at.seconds) squares += std::pow(std::log(t) - middle, 2);
      freedom += static_cast<int>(at.seconds.size()) - 1;
    }
    return freedom > 0 ? std::sqrt(squares / freedom) : kUnknownNoise;
  }

  // Surely not better than the best by more than is allowed, whatever the runs to come say.
  bool is_out(std::size_t i) const {
    if (!std::isfinite(scores_[i])) return true;
    const double error = noise_ * kMedianError * std::sqrt(1.0 / runs_of(i) + 1.0 / runs_of(best_));
    return ratio(i) * (1 - kSure * error) >= good_enough() && ratio(i) > 1;
  }

  bool climb() {
    const std::size_t last = curve_.times.size() - 1;
    const int largest = k_of(last);
    if (last != best_ && is_out(last) && ratio(last) > 1 + rules_.within) return false;
    const int to = reach_.above(largest);
    if (to == 0) return false;
    want(to, rules_.first);
    answer_.why = last == best_
                      ? name(last) + " is the best by " + rules_.what + " so far, and the largest"
                      : name(last) + " may be as good by " + rules_.what + " as " + name(best_);
    return !answer_.steps.empty();
  }

  // The K of the scale in the gaps on either side of the best one, until they are narrow.
  bool look_beside() {
    for (const int side : {-1, 1}) {
      const bool has_side = side < 0 ? best_ > 0 : best_ + 1 < curve_.times.size();
      if (!has_side) continue;
      const int other = k_of(best_ + static_cast<std::size_t>(side));
      const int low = std::min(other, k_of(best_)), high = std::max(other, k_of(best_));
      if (high <= low * (1 + 2 * rules_.within)) continue;
      const double middle = std::sqrt(static_cast<double>(low) * high);
      int found = 0;
      for (const int k : reach_.ks) {
        if (k <= low || k >= high || asked(k) > 0) continue;
        if (found == 0 || std::abs(std::log(k / middle)) < std::abs(std::log(found / middle))) {
          found = k;
        }
      }
      if (found > 0) want(found, rules_.first);
    }
    if (answer_.steps.empty()) return false;
    answer_.why = "beside " + name(best_) + ", the best by " + rules_.what + " so far";
    return true;
  }

  // Runs enough for an interval at the best and at all that may be better.
  bool bring_runs() {
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      if (i == best_ || !is_out(i)) want(k_of(i), enough_);
    }
    if (answer_.steps.empty()) return false;
    answer_.why =
        "an interval for what may be best by " + rules_.what + ", " + name(best_) + " so far";
    return true;
  }

  RecommendationDecision tell_apart() {
    std::optional<std::size_t> rival, open;
    std::vector<Bounds> bounds(scores_.size());
    if (fewest_runs(curve_.times) >= 2) bounds = margins();
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      if (i == best_ || !std::isfinite(scores_[i])) continue;
      if (!rival || ratio(i) < ratio(*rival)) rival = i;
      if (is_out(i) || 1 + bounds[i].low >= good_enough()) continue;
      if (!open || bounds[i].low < bounds[*open].low) open = i;
    }
    if (!rival) return stop(name(best_) + " is the only K that could be measured");
    const std::size_t shown = open.value_or(*rival);
    answer_.rival = k_of(shown);
    answer_.margin = ratio(shown) - 1;
    // With fewer runs it is out by so much that no interval is needed to say so.
    std::string than = name(shown) + " is " + number_percent(answer_.margin, 2) + " worse";
    if (std::min(runs_of(shown), runs_of(best_)) >= std::max(2, enough_)) {
      answer_.interval = bounds[shown];
      answer_.tie = bounds[shown].low <= 0;
      than += " [" + number_percent(bounds[shown].low, 2) + ", " +
              number_percent(bounds[shown].high, 2) + "]";
    }
    const std::string best = name(best_) + " is best by " + rules_.what + ", ";
    if (!open) {
      return stop(best + than +
                  (answer_.tie ? ": a tie, but no K is better by more than " +
                                     number_percent(rules_.within, 2)
                               : ""));
    }
    add_most_useful(*open);
    if (answer_.steps.empty()) {
      return stop(best + than + ": not told apart, but repeat: " + std::to_string(rules_.most) +
                  " allows no more runs");
    }
    answer_.why = "to tell " + name(best_) + " from " + name(*open) + " by " + rules_.what +
                  ": the second is " + number_percent(answer_.margin, 2) + " worse [" +
                  number_percent(bounds[*open].low, 2) + ", " +
                  number_percent(bounds[*open].high, 2) + "]";
    return std::move(answer_);
  }

  std::vector<Bounds> margins() const {
    BootstrapOptions options;
    options.seed = rules_.seed;
    options.replicates = rules_.replicates;
    auto replicates = joint_bootstrap(
        curve_.times, static_cast<int>(scores_.size()),
        [&](const Times& sample, std::span<double> out) {
          const double best = rules_.score(k_of(best_), median_seconds(sample[best_]));
          for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = rules_.score(k_of(i), median_seconds(sample[i])) / best - 1;
          }
        },
        options);
    std::vector<Bounds> bounds;
    for (auto& column : replicates) bounds.push_back(percentile_bounds(std::move(column), 0.95));
    return bounds;
  }

  // Of the two, the one whose runs lower the variance of the margin more for their work, and the
  // other if it comes near that.
  void add_most_useful(std::size_t open) {
    const auto use = [&](std::size_t i) {
      const int n = asked(k_of(i)), m = std::min(rules_.most, next_rung(n));
      return m <= n ? 0 : (1.0 / n - 1.0 / m) / (expected_work(curve_.times, k_of(i)) * (m - n));
    };
    const double most = std::max(use(best_), use(open));
    for (const std::size_t i : {std::min(best_, open), std::max(best_, open)}) {
      if (use(i) > 0 && use(i) >= most / 2) want(k_of(i), next_rung(asked(k_of(i))));
    }
  }

  const SearchCurve& curve_;
  const RecommendationRules& rules_;
  const int enough_;
  const SearchReach reach_;
  std::vector<double> scores_;  // by place in curve_.times
  double noise_ = kUnknownNoise;
  std::size_t best_ = 0;
  RecommendationDecision answer_;
};

}  // namespace

RecommendationDecision next_recommendation_step(const SearchCurve& curve,
                                                const RecommendationRules& rules) {
  return RecommendationSearch(curve, rules).decide();
}

}  // namespace kneepoint
