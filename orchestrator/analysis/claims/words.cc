// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/claims/words.h"

#include <cmath>
#include <cstdio>

#include "orchestrator/analysis/statistics/require.h"

namespace kneepoint {

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string amount(double value) {
  return value < 1000 ? in_words(value) : fixed(value, 0);
}

std::string workers(const Claim& claim, int count) {
  const std::string unit = claim.worker.empty()    ? "worker"
                           : claim.worker == "gpu" ? "GPU"
                                                   : claim.worker;
  return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
}

std::string unit_of(const Claim& claim) {
  return claim.worker.empty() ? "worker" : claim.worker == "gpu" ? "GPU" : claim.worker;
}

std::string claim_summary(const Claim& claim, const ClaimNumbers& numbers) {
  const ClaimNumber* last = numbers.last();
  if (last == nullptr) {
    return "The claim has no number beyond its baseline: there is nothing to judge.";
  }
  const double r = static_cast<double>(last->k) / numbers.k0;
  const double idle = last->k * (1 - last->efficiency);
  const bool weak = claim.mode == Mode::weak || numbers.by_weak;
  std::string text = amount(last->speedup) +
                     (weak ? " times the results per hour on " : " times as fast on ") +
                     workers(claim, last->k);
  if (numbers.k0 > 1) text += " as on " + std::to_string(numbers.k0);
  text += " is an efficiency of " + fixed(last->efficiency, 3) + ".";
  if (idle >= 0.5) {
    text += " They do the work of " + amount(last->k * last->efficiency) +
            (r < last->k ? " at the baseline's pace" : "") + ": " +
            std::to_string(static_cast<int>(std::lround(idle))) + " of the " +
            std::to_string(last->k) + " do nothing useful, and a result takes " +
            fixed(1 / last->efficiency, 2) + " times the " + unit_of(claim) + "-hours.";
  }
  return text;
}

}  // namespace kneepoint
