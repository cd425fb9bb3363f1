// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/claims/audit.h"

#include <cmath>

#include "orchestrator/analysis/knee/knee.h"
#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/base/ensure.h"

namespace kneepoint {
namespace {

constexpr double kFits = 0.02;         // stated numbers are rounded
constexpr std::size_t kKneeNeeds = 3;  // K, the baseline among them

bool is_baseline(const ClaimPoint& point) {
  if (point.speedup) return std::abs(*point.speedup - 1) < 1e-9;
  return !point.efficiency && point.seconds;
}

const ClaimPoint* baseline_point(const Claim& claim) {
  const ClaimPoint& first = claim.points.front();
  if (claim.baseline.k) {
    for (const ClaimPoint& point : claim.points) {
      if (point.k == *claim.baseline.k) return &point;
    }
    return nullptr;
  }
  const bool alone = claim.points.size() == 1 && !first.speedup;
  return is_baseline(first) && !alone ? &first : nullptr;
}

bool fits(double stated, double computed) {
  return std::abs(stated / computed - 1) <= kFits;
}

void set_knee(double floor, ClaimNumbers& numbers) {
  if (numbers.points.size() + 1 < kKneeNeeds) return;
  std::vector<int> ks = {numbers.k0};
  std::vector<double> cost = {1};
  for (const ClaimNumber& at : numbers.points) {
    ks.push_back(at.k);
    cost.push_back(1 / at.efficiency);
  }
  // Nothing says how many runs a stated number rests on.
  const std::vector<double> runs(cost.size(), 1.0);
  const Crossing crossing = find_crossing(ks, cost, runs, floor);
  numbers.knee_beyond = crossing.first_under == ks.size();
  if (!numbers.knee_beyond) numbers.knee = crossing.k;
}

}  // namespace

ClaimNumbers claim_numbers(const Claim& claim, double floor) {
  ENSURE(!claim.points.empty(), "a claim without a point");
  ClaimNumbers numbers;
  const ClaimPoint* base = baseline_point(claim);
  numbers.k0_stated = claim.baseline.k.has_value() || base != nullptr;
  numbers.k0 = base != nullptr ? base->k : claim.baseline.k.value_or(1);
  if (base != nullptr) numbers.seconds0 = base->seconds;
  const bool weak =
      claim.mode == Mode::weak || (!claim.mode && reading_of_times(claim) == Reading::weak);
  for (const ClaimPoint& point : claim.points) {
    if (point.k <= numbers.k0) continue;
    const double r = static_cast<double>(point.k) / numbers.k0;
    ClaimNumber at;
    at.k = point.k;
    at.seconds = point.seconds;
    if (point.speedup) {
      at.speedup = *point.speedup;
    } else if (point.efficiency) {
      at.speedup = *point.efficiency * r;
    } else if (point.seconds && numbers.seconds0) {
      at.speedup = (weak ? r : 1) * *numbers.seconds0 / *point.seconds;
      numbers.by_weak = weak;
    } else {
      continue;
    }
    at.efficiency = at.speedup / r;
    if (!weak) at.serial = serial_share(1 / at.speedup, r, numbers.k0);
    numbers.points.push_back(at);
  }
  set_knee(floor, numbers);
  if (const ClaimNumber* last = numbers.last(); last != nullptr && last->serial.value_or(0) > 0) {
    numbers.implied_ceiling = 1 / *last->serial;
    numbers.implied_knee = 1 + (1 / floor - 1) / *last->serial;
  }
  return numbers;
}

std::pair<const ClaimPoint*, const ClaimPoint*> timed_range(const Claim& claim) {
  std::pair<const ClaimPoint*, const ClaimPoint*> range;
  for (const ClaimPoint& point : claim.points) {
    if (!point.seconds) continue;
    if (range.first == nullptr) range.first = &point;
    range.second = &point;
  }
  return range;
}

Reading reading_of_times(const Claim& claim) {
  const auto [first, last] = timed_range(claim);
  if (first == nullptr || first->k == last->k) return Reading::unclear;
  // On a log scale: 1 is T ~ 1/K, 0 is T constant.
  const double slope = std::log(*first->seconds / *last->seconds) /
                       std::log(static_cast<double>(last->k) / first->k);
  return slope > 0.4 ? Reading::strong : slope < 0.2 ? Reading::weak : Reading::unclear;
}

std::vector<SpeedupCheck> check_speedups(const Claim& claim) {
  std::vector<SpeedupCheck> checks;
  const ClaimPoint* base = baseline_point(claim);
  if (base == nullptr || !base->seconds) return checks;
  for (const ClaimPoint& point : claim.points) {
    if (!point.speedup || !point.seconds || point.k <= base->k) continue;
    SpeedupCheck check;
    check.k = point.k;
    check.stated = *point.speedup;
    check.strong = *base->seconds / *point.seconds;
    check.weak = check.strong * point.k / base->k;
    check.fits_strong = fits(check.stated, check.strong);
    check.fits_weak = fits(check.stated, check.weak);
    checks.push_back(check);
  }
  return checks;
}

}  // namespace kneepoint
