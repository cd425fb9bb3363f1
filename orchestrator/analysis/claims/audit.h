// SPDX-License-Identifier: Apache-2.0
//
// A claim of scaling against the rules that make such a claim worth something. Every rule has one
// verdict in words and, where something is missing or wrong, the question to ask.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/model/claim.h"

namespace kneepoint {

// ---- What the numbers of a claim come to: speedup, efficiency, the serial share that they imply,
// the knee. Nothing is made up: a claim of one K has no knee.

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

// The first and the last point that state a time; both nullptr: none does.
std::pair<const ClaimPoint*, const ClaimPoint*> timed_range(const Claim& claim);

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

// ---- The rules

// suspicious: possible, but it wants an explanation. contradicted: the claim says two things of
// which one is wrong.
enum class RuleVerdict { ok, missing, suspicious, contradicted };
const char* to_string(RuleVerdict verdict);

struct RuleFinding {
  std::string rule;  // "regime", "baseline", ...; stable, docs/reference/audit.md lists all
  RuleVerdict verdict = RuleVerdict::ok;
  std::string sentence;
  std::string question;  // "": nothing to ask
  KP_DESCRIBED(RuleFinding, rule, verdict, sentence, question);
};

struct ClaimAudit {
  ClaimNumbers numbers;
  std::string summary;                 // plain words: what the claim comes to
  std::vector<RuleFinding> findings;   // every rule that applies, in a fixed order
  std::vector<std::string> questions;  // those of the findings, in order

  int count(RuleVerdict verdict) const;
};

// `floor` is the least efficiency worth paying for.
ClaimAudit audit_claim(const Claim& claim, double floor);

}  // namespace kneepoint
