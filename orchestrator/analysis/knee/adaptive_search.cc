// SPDX-License-Identifier: Apache-2.0
//
// Doubling until efficiency is under the floor; then the K of the scale around the crossing; then
// runs at the baseline and at the two K around the crossing, which are all that the knee rests on.
#include "orchestrator/analysis/knee/adaptive_search.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/knee/knees.h"
#include "orchestrator/base/ensure.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {
namespace {

constexpr int kFirstDoublings = 3;    // K of round 0
constexpr double kWorthAsMuch = 0.5;  // of the best run's use: in the same round

class KneeSearch {
 public:
  KneeSearch(const SearchCurve& curve, const SearchRules& rules)
      : curve_(curve),
        rules_(rules),
        enough_(std::min(rules.most, kRunsForAnInterval)),
        reach_(curve) {
    ENSURE(!curve.scale.empty() && rules.first >= 1 && rules.most >= rules.first, "a search");
  }

  SearchDecision decide() {
    if (curve_.times.empty()) return begin();
    const MeasuredCurve measured(curve_.mode, curve_.times);
    const Crossing crossing = find_crossing(measured.ks, measured.smoothed, rules_.floor);
    if (crossing.first_under == measured.ks.size()) return above(measured);
    answer_.knee = crossing.k;
    const std::size_t b = std::max<std::size_t>(crossing.first_under, 1);
    const bool looked = b < measured.ks.size();  // false: only one K has a time
    if (!looked) return climb("only K=" + std::to_string(measured.ks[0]) + " has a time");
    return around(measured, b, crossing.k);
  }

 private:
  int asked(int k) const { return curve_.asked_at(k); }
  int largest() const { return curve_.times.back().k; }

  SearchDecision& stop(const std::string& why) {
    answer_.steps.clear();
    answer_.why = why;
    return answer_;
  }

  void want(int k, int runs) {
    if (runs > asked(k)) answer_.steps.push_back({k, runs - asked(k)});
  }

  // Runs as the plan wishes them; false: they are there.
  bool bring(std::set<int> ks, int runs, const std::string& why) {
    for (const int k : ks) want(k, std::min(runs, rules_.most));
    if (answer_.steps.empty()) return false;
    answer_.why = why;
    return true;
  }

  // Where the smallest K fail (too little memory, say) the next ones up are tried, once.
  SearchDecision begin() {
    std::vector<int> ks;
    bool again = false;
    for (const int k : doublings(curve_.scale)) {
      if (asked(k) > 0) {
        again = true;
        ks.clear();
      } else {
        ks.push_back(k);
      }
    }
    if (again && (ks.empty() || asked(doublings(curve_.scale)[kFirstDoublings]) > 0)) {
      return stop("no run has a valid time");
    }
    if (ks.size() > kFirstDoublings) ks.resize(kFirstDoublings);
    for (const int k : ks) want(k, rules_.first);
    answer_.why = again ? "no smaller K has a valid time"
                        : "coarse doubling from K=" + std::to_string(ks.front());
    return answer_;
  }

  // The next doubling of the largest K measured.
  SearchDecision climb(const std::string& why) {
    const int to = reach_.above(largest());
    if (to == 0) return stop(why + "; the scale has no larger K");
    want(to, rules_.first);
    answer_.why = why;
    return answer_;
  }

  // Efficiency is not under the floor anywhere.
  SearchDecision above(const MeasuredCurve& measured) {
    const double e = 1 / measured.smoothed.back();
    const std::string here = "E=" + fixed_text(e, 2) + " at K=" + std::to_string(largest()) +
                             " is not under " + number_text(rules_.floor);
    if (largest() < reach_.ks.back()) return climb(here);
    const std::string end =
        reach_.cut_at ? "K=" + std::to_string(*reach_.cut_at) + " has no valid time, and " + here
                      : here + ", and the scale ends there";
    const std::set<int> decisive = {curve_.times.front().k, largest()};
    if (bring(decisive, enough_, end + ": runs to be sure of it")) return answer_;
    set_interval();
    if (answer_.interval && answer_.interval->low < largest()) {
      for (const int k : decisive) want(k, std::min(rules_.most, next_rung(asked(k))));
      if (!answer_.steps.empty()) {
        answer_.why = end + ": runs to be sure of it";
        return answer_;
      }
    }
    return stop(end);
  }

  // The knee is between the K measured at b-1 and b.
  SearchDecision around(const MeasuredCurve& measured, std::size_t b, double knee) {
    const int under = measured.ks[b], over = measured.ks[b - 1];
    const std::string between =
        "the knee between " + std::to_string(over) + " and " + std::to_string(under);
    if (const auto k = inside(over, under, knee)) {
      want(*k, rules_.first);
      answer_.why = "narrows " + between;
      return answer_;
    }
    if (const auto k = largest_within(over, knee)) {
      want(*k, rules_.first);
      answer_.why = "may be the largest K that keeps the floor: " + between;
      return answer_;
    }
    const std::set<int> decisive = {measured.ks.front(), over, under};
    if (bring(decisive, enough_, "an interval for " + between)) return answer_;
    set_interval();
    const std::string at = "the knee is at K=" + number_text(knee) + interval_text();
    if (!answer_.interval) return stop(at + ": one run at a K, so that there is no interval");
    if (answer_.interval->open_high && largest() < reach_.ks.back()) {
      return climb("the interval of " + between + " reaches beyond K=" + std::to_string(largest()));
    }
    const double half = answer_.interval->open_high
                            ? INFINITY
                            : (answer_.interval->high - answer_.interval->low) / 2;
    if (half <= rules_.within * knee) {
      return stop(at + ": within " + number_text(100 * rules_.within) + "%");
    }
    add_most_useful(measured, b);
    if (answer_.steps.empty()) {
      return stop(at + ": wider than " + number_text(100 * rules_.within) +
                  "% either way, but repeat: " + std::to_string(rules_.most) +
                  " allows no more runs");
    }
    answer_.why = "narrow" + std::string(answer_.steps.size() == 1 ? "s " : " ") + between +
                  " most for their node-hours" + interval_text();
    return answer_;
  }

  // A K of the scale between the two that is worth looking at; none: they are close enough.
  std::optional<int> inside(int over, int under, double knee) const {
    const double margin = rules_.within * knee;
    const double target =
        under - over > 2 * margin ? std::clamp(knee, over + margin, under - margin) : NAN;
    if (std::isnan(target)) return std::nullopt;
    std::optional<int> best;
    for (const int k : reach_.ks) {
      if (k <= over || k >= under) continue;
      if (!best || std::abs(k - target) < std::abs(*best - target)) best = k;
    }
    return best;
  }

  // The largest K of the scale up to the knee that was not measured though a smaller one was: what
  // a grid would say to use.
  std::optional<int> largest_within(int over, double knee) const {
    std::optional<int> best;
    for (const int k : reach_.ks) {
      if (k > over && k <= knee && !curve_.has_times(k)) best = k;
    }
    return best;
  }

  // By how much runs at each of the decisive K lower the variance of the knee, for their work.
  void add_most_useful(const MeasuredCurve& measured, std::size_t b) {
    const double y = 1 / rules_.floor;
    const double ca = measured.smoothed[b - 1], cb = measured.smoothed[b];
    const double w = std::clamp((y - ca) / (cb - ca), 0.0, 1.0);
    std::map<std::size_t, double> weight;  // by place: sensitivity to that K's log time
    weight[0] += y;
    weight[b - 1] -= (1 - w) * ca;
    weight[b] -= w * cb;
    std::map<int, double> use;
    double best = 0;
    for (const auto& [i, sensitivity] : weight) {
      const int k = measured.ks[i], n = asked(k), m = std::min(rules_.most, next_rung(n));
      if (m <= n) continue;
      const double work = expected_work(curve_.times, k) * (m - n);
      use[k] = sensitivity * sensitivity * (1.0 / n - 1.0 / m) / work;
      best = std::max(best, use[k]);
    }
    for (const auto& [k, value] : use) {
      if (value >= kWorthAsMuch * best) want(k, std::min(rules_.most, next_rung(asked(k))));
    }
  }

  void set_interval() {
    if (fewest_runs(curve_.times) < 2) return;
    BootstrapOptions options;
    options.seed = rules_.seed;
    options.replicates = rules_.replicates;
    auto replicates = joint_bootstrap(
        curve_.times, 1,
        [&](const Times& sample, std::span<double> out) {
          const MeasuredCurve one(curve_.mode, sample);
          out[0] = find_crossing(one.ks, one.smoothed, rules_.floor).k;
        },
        options);
    const Bounds bounds = percentile_bounds(std::move(replicates[0]), 0.95);
    const double last = largest();
    answer_.interval =
        SearchInterval{std::min(bounds.low, last), std::min(bounds.high, last), bounds.high > last};
  }

  std::string interval_text() const {
    if (!answer_.interval) return "";
    return " [" + number_text(answer_.interval->low) + ", " +
           (answer_.interval->open_high ? "beyond" : number_text(answer_.interval->high)) + "]";
  }

  const SearchCurve& curve_;
  const SearchRules& rules_;
  const int enough_;
  const SearchReach reach_;
  SearchDecision answer_;
};

}  // namespace

int SearchCurve::asked_at(int k) const {
  const auto found = asked.find(k);
  return found == asked.end() ? 0 : found->second;
}

bool SearchCurve::has_times(int k) const {
  return std::any_of(times.begin(), times.end(), [k](const TimesAtK& at) { return at.k == k; });
}

SearchReach::SearchReach(const SearchCurve& curve) {
  for (const int k : curve.scale) {
    if (curve.asked_at(k) == 0 || curve.has_times(k)) {
      ks.push_back(k);
    } else if (!curve.times.empty() && k > curve.times.back().k) {
      cut_at = k;
      break;
    }
  }
}

int SearchReach::above(int largest) const {
  int to = 0;
  for (const int k : ks) {
    if (k > largest && (to == 0 || k <= 2 * largest)) to = k;
  }
  return to;
}

SearchDecision next_step(const SearchCurve& curve, const SearchRules& rules) {
  return KneeSearch(curve, rules).decide();
}

std::vector<int> doublings(const std::vector<int>& scale) {
  std::vector<int> ks;
  for (std::size_t i = 0; i < scale.size();) {
    ks.push_back(scale[i]);
    std::size_t next = i + 1;
    while (next + 1 < scale.size() && scale[next + 1] <= 2 * scale[i]) ++next;
    i = next;
  }
  return ks;
}

int next_rung(int n) {
  for (const int rung : {5, 7, 10, 14, 20, 28, 40, 56, 80, 112}) {
    if (rung > n) return rung;
  }
  return n + n / 2;
}

double expected_work(const Times& times, int k) {
  ENSURE(!times.empty(), "a time to expect by");
  const auto work = [&](std::size_t i) { return times[i].k * median_seconds(times[i]); };
  if (times.size() == 1) return times[0].k * median_seconds(times[0]) / times[0].k * k;
  std::size_t b = 1;
  while (b + 1 < times.size() && times[b].k < k) ++b;
  const double slope = (work(b) - work(b - 1)) / (times[b].k - times[b - 1].k);
  const double line = work(b - 1) + slope * (k - times[b - 1].k);
  return std::max(line, std::min(work(0), work(b)));
}

std::string to_string(const std::vector<SearchStep>& steps) {
  std::string text;
  for (const SearchStep& step : steps) {
    text +=
        (text.empty() ? "K=" : ", K=") + std::to_string(step.k) + " x " + std::to_string(step.runs);
  }
  return text;
}

}  // namespace kneepoint
