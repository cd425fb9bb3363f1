// SPDX-License-Identifier: Apache-2.0
//
// From runs to speedup and efficiency with intervals, by docs/methods.md. Pure functions over plain
// values. T(K) is the median of valid runs; runs that failed never enter a number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"

namespace kneepoint {

struct Interval {
  double low = 0, high = 0;
  double level = 0.95;  // what it really has: 0.968 for Hodges-Lehmann at 5 × 5
  std::string method;   // "Hodges-Lehmann", "Welch on logs", "order statistics", "range"
};

// One point of a curve.
struct PointSummary {
  Point point;
  int valid = 0;       // runs that count
  int failed = 0;      // runs finished without a valid time
  int pending = 0;     // runs not finished yet
  int outliers = 0;    // flagged by MAD, never dropped
  double seconds = 0;  // median T; 0 when valid == 0
  std::optional<Interval> seconds_interval;
  double speedup = 0;  // relative to the curve's baseline K0
  double efficiency = 0;
  std::optional<Interval> efficiency_interval;
  std::optional<double> karp_flatt;
  double work_total = 0;                              // median over runs
  std::optional<double> efficiency_by_work;           // weak, when work per worker isn't constant
  double compute_share = 0, communication_share = 0;  // of T; 0 and 0: not measured
  double node_seconds_per_result = 0;
  std::vector<std::string>
      flags;  // "oversubscribed", "emulated", "2 of 5 repeats failed", "E>1"...
};

// build × case × mode × shape family: K ascending.
struct Curve {
  std::string build, case_name, shape_name;
  Mode mode = Mode::strong;
  std::string held_fixed;
  int k0 = 1;  // baseline; "relative to K0" is said when it isn't 1
  std::vector<PointSummary> points;
  std::vector<std::string> findings;  // "work per worker varies by 3.1%": said above the table
};

struct KneeAnswer {
  double floor = 0.7;
  // Largest measured K such that it and all smaller have E's lower bound (resp. upper) >= floor.
  std::optional<int> k_sure, k_maybe;
  std::optional<double> k;  // crossing by interpolation of K·T; nullopt: see `where`
  std::string where;        // "measured", "beyond K_max", "below the first step", "no data"
  std::string sentence;     // in plain words
};

struct StudySummary {
  std::vector<Curve> curves;
  std::vector<KneeAnswer> knees;  // per curve, at the plan's floor
  bool anything_ran = false;
  bool all_points_have_data = false;
};

StudySummary summarise(const StudyEvidence& evidence);

// The half-width of E's interval at each point (infinity: unknown); what repeat.until looks at.
std::vector<double> efficiency_half_widths(const StudyEvidence& evidence);

}  // namespace kneepoint
