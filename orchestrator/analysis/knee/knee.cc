// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/knee/knee.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

constexpr std::array<std::string_view, 6> kRuleWords = {"efficiency", "power",    "marginal",
                                                        "min_time",   "usl_peak", "kneedle"};

void find_sure_and_maybe(const std::vector<KneePoint>& points, KneeAnswer& answer) {
  bool sure = true, maybe = true;
  for (const KneePoint& p : points) {
    const double e = 1 / p.cost;
    const auto& interval = p.efficiency;
    sure = sure && (p.exact || interval) && reaches(interval ? interval->low : e, answer.floor);
    maybe = maybe && reaches(interval ? interval->high : e, answer.floor);
    if (sure) answer.k_sure = p.k;
    if (maybe) answer.k_maybe = p.k;
  }
}

void set_crossing(const std::vector<KneePoint>& points, KneeAnswer& answer) {
  std::vector<int> ks;
  std::vector<double> cost, runs;
  for (const KneePoint& p : points) {
    ks.push_back(p.k);
    cost.push_back(p.cost);
    runs.push_back(p.runs);
  }
  const Crossing crossing = find_crossing(ks, cost, runs, answer.floor);
  if (crossing.first_under == ks.size()) {
    answer.place = KneePlace::beyond;
    answer.k_measured = ks.back();
  } else if (crossing.first_under <= 1) {
    answer.place = KneePlace::below;
    if (crossing.first_under == 1) answer.k_measured = ks.front();
  } else {
    answer.place = KneePlace::inside;
    answer.k_measured = ks[crossing.first_under - 1];
    answer.k = crossing.k;
  }
}

void recommend_by_floor(const std::vector<KneePoint>& points, const KneeAnswer& by_floor,
                        RecommendedK& answer) {
  const bool intervals = std::any_of(points.begin(), points.end(),
                                     [](const KneePoint& p) { return p.efficiency.has_value(); });
  answer.k = intervals ? by_floor.k_sure : by_floor.k_measured;
  answer.reason = !answer.k ? KReason::none_sure : intervals ? KReason::sure : KReason::by_medians;
  if (answer.k && by_floor.k_measured && *by_floor.k_measured > *answer.k) {
    answer.possible = by_floor.k_measured;
  }
}

}  // namespace

const char* to_string(KneeRule rule) {
  return kRuleWords[static_cast<std::size_t>(rule)].data();
}

std::optional<KneeRule> knee_rule_of(std::string_view word) {
  const auto found = std::find(kRuleWords.begin(), kRuleWords.end(), word);
  if (found == kRuleWords.end()) return std::nullopt;
  return static_cast<KneeRule>(found - kRuleWords.begin());
}

const char* to_string(KneePlace place) {
  constexpr const char* kWords[] = {"none", "below", "inside", "beyond"};
  return kWords[static_cast<int>(place)];
}

const char* to_string(KReason reason) {
  constexpr const char* kWords[] = {"no_run",    "one_k",      "sure",        "by_medians",
                                    "none_sure", "below_knee", "within_knee", "all_within"};
  return kWords[static_cast<int>(reason)];
}

const char* KneeAnswer::where() const {
  constexpr const char* kWords[] = {"no data", "below the first step", "measured", "beyond K_max"};
  return kWords[static_cast<int>(place)];
}

bool reaches(double efficiency, double floor) {
  return efficiency >= floor * (1 - 1e-12);
}

std::vector<double> isotonic_increasing(const std::vector<double>& values,
                                        const std::vector<double>& weights) {
  ENSURE(values.size() == weights.size(), "one weight for each value");
  struct Block {
    double mean, weight;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Block block{values[i], weights[i], 1};
    while (!blocks.empty() && blocks.back().mean > block.mean) {
      const Block& last = blocks.back();
      const double weight = last.weight + block.weight;
      block = {(last.mean * last.weight + block.mean * block.weight) / weight, weight,
               last.count + block.count};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> out;
  out.reserve(values.size());
  for (const Block& block : blocks) out.insert(out.end(), block.count, block.mean);
  return out;
}

Crossing find_crossing(const std::vector<int>& ks, const std::vector<double>& cost, double floor) {
  ENSURE(ks.size() == cost.size() && !ks.empty(), "one cost for each K");
  Crossing crossing;
  std::size_t& i = crossing.first_under;
  while (i < cost.size() && reaches(1 / cost[i], floor)) ++i;
  if (i == cost.size()) {
    crossing.k = std::numeric_limits<double>::infinity();
  } else if (i == 0) {
    crossing.k = ks.front();
  } else {
    const double before = ks[i - 1], after = ks[i];
    crossing.k = before + (1 / floor - cost[i - 1]) / (cost[i] - cost[i - 1]) * (after - before);
    if (crossing.k < before) crossing.k = before;  // equality within the tolerance
  }
  return crossing;
}

Crossing find_crossing(const std::vector<int>& ks, const std::vector<double>& cost,
                       const std::vector<double>& runs, double floor) {
  return find_crossing(ks, isotonic_increasing(cost, runs), floor);
}

KneeAnswer find_knee(const std::vector<KneePoint>& points, double floor) {
  KneeAnswer answer;
  answer.floor = floor;
  if (points.size() < 2) return answer;
  find_sure_and_maybe(points, answer);
  set_crossing(points, answer);
  return answer;
}

RecommendedK recommend_k(const std::vector<KneePoint>& points, const KneeAnswer& by_floor,
                         KneeRule rule, const std::optional<RuleKnee>& by_rule) {
  RecommendedK answer;
  answer.rule = rule;
  answer.rule_answers = rule == KneeRule::efficiency || by_rule.has_value();
  if (points.size() < 2) {
    answer.reason = points.empty() ? KReason::no_run : KReason::one_k;
  } else if (answer.is_by_floor()) {
    recommend_by_floor(points, by_floor, answer);
  } else if (by_rule->place == KneePlace::below) {
    answer.reason = KReason::below_knee;
    answer.k = points.front().k;
  } else {
    const bool all = by_rule->place == KneePlace::beyond;
    answer.reason = all ? KReason::all_within : KReason::within_knee;
    for (const KneePoint& p : points) {
      if (all || p.k <= by_rule->k * (1 + 1e-9)) answer.k = p.k;
    }
  }
  return answer;
}

}  // namespace kneepoint
