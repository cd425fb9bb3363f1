// SPDX-License-Identifier: Apache-2.0
//
// Claim: what somebody says of how far a program scales, as plain values. What is not said is
// empty, never a default: an audit is about what is missing as much as about what is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/shape.h"

namespace kneepoint {

// Any of the three; `speedup` and `efficiency` are relative to the baseline.
struct ClaimPoint {
  int k = 1;
  std::optional<double> speedup, seconds, efficiency;
};

struct ClaimBaseline {
  std::optional<int> k;
  std::string what;  // "the same program on one GPU"
  std::optional<bool> optimised, measured, same_program;
};

struct Claim {
  std::string text;                // as it was said
  std::string source;              // where
  std::optional<Mode> mode;        // the regime
  std::string worker;              // node, rank, gpu; "": not said
  std::vector<ClaimPoint> points;  // K ascending and distinct, at least one
  ClaimBaseline baseline;
  std::string held_fixed;                             // what stays the same when K grows
  std::string timed;                                  // what the time covers
  std::string answer;                                 // precision and accuracy of the result
  std::optional<int> repeats;                         // runs at each K
  std::string interval;                               // "+-2%"; "": none was given
  std::optional<std::int64_t> price_per_worker_hour;  // micros
  std::string currency;
  bool measured_here = false;  // a study of ours, with its runs
};

}  // namespace kneepoint
