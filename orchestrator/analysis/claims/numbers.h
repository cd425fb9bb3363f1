// SPDX-License-Identifier: Apache-2.0
//
// What the numbers of a claim come to: speedup, efficiency, workers that do nothing useful, the
// serial share that they imply, the knee. Pure; nothing is made up: a claim of one K has no knee.
#pragma once

#include <optional>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/model/claim.h"

namespace kneepoint {

struct ClaimNumber {
  int k = 1;
  double speedup = 0, efficiency = 0;  // relative to K0
  std::optional<double> serial;        // Karp-Flatt brought to K = 1; strong or regime not said
  std::optional<double> seconds;
  static constexpr auto fields() {
    using T = ClaimNumber;
    return described(KP_NAMED(k, speedup, efficiency), field("serial_share", &T::serial),
                     field("seconds", &T::seconds));
  }
};

struct ClaimNumbers {
  int k0 = 1;
  bool k0_stated = false;  // or a point of the claim; else 1 is assumed
  std::optional<double> seconds0;
  std::vector<ClaimNumber> points;        // K > K0, ascending; may be empty
  bool by_weak = false;                   // the speedups count K times the problem
  std::optional<double> knee;             // of three or more K: where E crosses the floor
  bool knee_beyond = false;               // E never crosses it
  std::optional<double> implied_knee;     // by Amdahl from the last K's serial share
  std::optional<double> implied_ceiling;  // 1 / s

  KP_DESCRIBED(ClaimNumbers, k0, k0_stated, points, knee, knee_beyond, implied_knee,
               implied_ceiling);
  const ClaimNumber* last() const { return points.empty() ? nullptr : &points.back(); }
};

ClaimNumbers claim_numbers(const Claim& claim, double floor);

// What the times alone look like, whatever the claim calls them.
enum class Reading { strong, weak, unclear };
Reading reading_of_times(const Claim& claim);

// Does a speedup beside a time follow from the times as strong (T0/T) or weak (K/K0 T0/T)?
struct SpeedupCheck {
  int k = 1;
  double stated = 0, strong = 0, weak = 0;
  bool fits_strong = false, fits_weak = false;
};
std::vector<SpeedupCheck> check_speedups(const Claim& claim);

}  // namespace kneepoint
