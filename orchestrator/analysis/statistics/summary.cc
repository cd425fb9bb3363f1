// SPDX-License-Identifier: Apache-2.0
//
// The numbers of docs/methods.md, point by point. Only runs that succeeded with a time enter; what
// became of the others is counted and said.
#include "orchestrator/analysis/statistics/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/knee/knees.h"
#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/analysis/models/superlinear.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/model/provenance.h"

namespace kneepoint {
namespace {

template <typename Value>
double median_of(const std::vector<const RunEvidence*>& runs, Value value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const RunEvidence* run : runs) values.push_back(value(*run));
  return median(std::move(values));
}

std::string of_repeats(int part, int whole, const char* what) {
  if (part == whole) {
    return whole == 1 ? std::string("the only repeat ") + what
                      : "all " + std::to_string(whole) + " repeats " + what;
  }
  return std::to_string(part) + " of " + std::to_string(whole) + " repeats " + what;
}

bool has_stand_in(const PointEvidence& evidence) {
  return std::any_of(evidence.runs.begin(), evidence.runs.end(),
                     [](const RunEvidence& run) { return is_stand_in(run.provenance); });
}

void set_flags(const PointEvidence& evidence, PointSummary& p) {
  const auto any = [&](bool RunEvidence::*member) {
    return std::any_of(evidence.runs.begin(), evidence.runs.end(),
                       [&](const RunEvidence& run) { return run.*member; });
  };
  const int runs = static_cast<int>(evidence.runs.size());
  if (p.point.emulated) p.flags.emplace_back(kEmulatedFlag);
  if (has_stand_in(evidence)) p.flags.emplace_back(kStandInFlag);
  if (any(&RunEvidence::oversubscribed)) p.flags.emplace_back(kOversubscribedFlag);
  if (any(&RunEvidence::binding_differs)) p.flags.emplace_back(kBindingFlag);
  if (any(&RunEvidence::machine_busy)) p.flags.emplace_back(kBusyFlag);
  const bool disturbed =
      std::any_of(evidence.runs.begin(), evidence.runs.end(), [](const RunEvidence& run) {
        return !run.disturbed.empty() && run.reason != Reason::disturbed;
      });
  if (disturbed) p.flags.emplace_back(kDisturbedFlag);
  int set_aside = 0;
  for (const RunEvidence& run : evidence.runs) set_aside += run.set_aside;
  if (set_aside > 0) {
    p.flags.push_back(std::to_string(set_aside) + " disturbed and set aside");
  }
  if (p.failed > 0) p.flags.push_back(of_repeats(p.failed, runs, "failed"));
  if (p.pending > 0) p.flags.push_back(of_repeats(p.pending, runs, "pending"));
  if (runs == 0) p.flags.emplace_back("no repeats planned");
  if (p.set_apart > 0) {
    p.flags.push_back(of_repeats(p.set_apart, runs, "of other provenance"));
  }
  if (p.outliers > 0) {
    p.flags.push_back(std::to_string(p.outliers) + (p.outliers == 1 ? " outlier" : " outliers"));
  }
}

// What one point says by itself, without a baseline.
PointSummary summarise_point(const CurveMembers& members, const PointEvidence& evidence,
                             int index) {
  PointSummary p;
  p.point = evidence.point;
  p.index = index;
  const std::vector<const RunEvidence*> valid = valid_runs(members, evidence);
  const std::vector<double> times = valid_seconds(members, evidence);
  p.valid = static_cast<int>(times.size());
  for (const RunEvidence& run : evidence.runs) {
    if (!counts(run)) {
      ++(run.finished ? p.failed : p.pending);
    } else if (!counts_on(members, run)) {
      ++p.set_apart;
    }
  }
  if (p.valid > 0) {
    p.seconds = median(times);
    p.seconds_interval = median_interval(times);
    p.outliers = count_outliers(times);
    p.work_total = median_of(valid, [](const RunEvidence& run) { return run.work_total; });
    p.compute_share =
        median_of(valid, [](const RunEvidence& run) { return run.compute_seconds / run.seconds; });
    p.communication_share = median_of(
        valid, [](const RunEvidence& run) { return run.communication_seconds / run.seconds; });
    if (p.point.results > 0) {
      p.node_seconds_per_result = p.seconds * p.point.shape.nodes / p.point.results;
    }
  }
  set_flags(evidence, p);
  return p;
}

void relate_to_baseline(const StudyEvidence& evidence, const CurveMembers& members,
                        const PointSummary& base, PointSummary& p) {
  const double k0 = base.point.k, k = p.point.k;
  const double r = k / k0;
  const bool strong = members.mode == Mode::strong;
  const double ratio = base.seconds / p.seconds;
  p.speedup = strong ? ratio : r * ratio;
  p.efficiency = p.efficiency_plain = strong ? ratio / r : ratio;
  p.efficiency_interval = ratio_interval(valid_seconds(members, evidence.points[base.index]),
                                         valid_seconds(members, evidence.points[p.index]));
  if (p.efficiency_interval && strong) {
    p.efficiency_interval->low /= r;
    p.efficiency_interval->high /= r;
  }
  p.efficiency_plain_interval = p.efficiency_interval;
  // S = E * K/K0, so E's interval gives that of S.
  if (p.efficiency_interval) p.speedup_interval = scaled(*p.efficiency_interval, r);
  if (strong && r > 1) {
    p.karp_flatt = serial_share(1 / p.speedup, r, k0);
    if (p.efficiency_interval) {
      // More efficiency, less serial: the bounds change places.
      p.karp_flatt_interval = p.efficiency_interval;
      p.karp_flatt_interval->low = serial_share(1 / (p.efficiency_interval->high * r), r, k0);
      p.karp_flatt_interval->high = serial_share(1 / (p.efficiency_interval->low * r), r, k0);
    }
  }
}

void flag_efficiency(PointSummary& p) {
  const auto& interval = p.efficiency_interval;
  if (!interval) return;
  if (interval->low > kSuperlinear) p.flags.emplace_back(kSuperlinearFlag);
  // Possible from 11 runs a side on, when the two samples differ in shape.
  const double e = p.efficiency;
  if (e < interval->low * (1 - 1e-9) || e > interval->high * (1 + 1e-9)) {
    p.flags.emplace_back("E outside its interval");
  }
}

void find_baseline(Curve& curve) {
  const auto first = std::find_if(curve.points.begin(), curve.points.end(),
                                  [](const PointSummary& p) { return p.valid > 0; });
  const PointSummary& planned = curve.points.front();
  if (first == curve.points.end()) {
    curve.k0 = planned.point.k;
    return;
  }
  first->baseline = true;
  first->speedup = first->efficiency = first->efficiency_plain = 1;
  curve.k0 = first->point.k;
  if (first == curve.points.begin()) return;
  curve.findings.push_back("K=" + std::to_string(planned.point.k) + ", the plan's smallest, has " +
                           (planned.pending > 0 ? "no valid run yet" : "no valid run") +
                           ": all values are relative to K0=" + std::to_string(curve.k0));
}

Curve summarise_curve(const StudyEvidence& evidence, const CurveMembers& members) {
  Curve curve{members};
  curve.findings = members.apart;
  curve.held_fixed = evidence.points[members.points.front()].point.held_fixed;
  for (const int i : members.points) {
    curve.points.push_back(summarise_point(members, evidence.points[i], i));
    curve.emulated = curve.emulated || evidence.points[i].point.emulated;
    curve.stand_in = curve.stand_in || has_stand_in(evidence.points[i]);
  }
  find_baseline(curve);
  if (const PointSummary* base = curve.baseline()) {
    for (PointSummary& p : curve.points) {
      if (p.valid > 0 && !p.baseline) relate_to_baseline(evidence, members, *base, p);
    }
  }
  check_work(curve);
  for (PointSummary& p : curve.points) flag_efficiency(p);
  const std::vector<KneePoint> points = knee_points(curve);
  for (const double line : {0.8, 0.5}) curve.lines.push_back(find_knee(points, line));
  return curve;
}

// The knee of the last curve by the plan's floor, and the K to use by the plan's rule.
void add_knee(const StudyEvidence& evidence, const CurveMembers& members, StudySummary& summary) {
  const Curve& curve = summary.curves.back();
  const std::vector<KneePoint> points = knee_points(curve);
  const KneeRule rule = knee_rule_of(evidence.knee_rule).value_or(KneeRule::efficiency);
  std::optional<RuleKnee> by_rule;
  if (rule != KneeRule::efficiency) {
    const Times times = at_equal_work(times_of(evidence, members, curve));
    by_rule = find_rule_knee(curve.mode, times, rule);
  }
  summary.knees.push_back(find_knee(points, evidence.knee_floor));
  summary.to_use.push_back(recommend_k(points, summary.knees.back(), rule, by_rule));
}

}  // namespace

const PointSummary* Curve::baseline() const {
  const auto it =
      std::find_if(points.begin(), points.end(), [](const PointSummary& p) { return p.baseline; });
  return it == points.end() ? nullptr : &*it;
}

const PointSummary* Curve::largest() const {
  const auto it = std::find_if(points.rbegin(), points.rend(),
                               [](const PointSummary& p) { return p.valid > 0; });
  return it == points.rend() ? nullptr : &*it;
}

const PointSummary* Curve::at(int k) const {
  const auto it = std::find_if(points.begin(), points.end(),
                               [k](const PointSummary& p) { return p.point.k == k; });
  return it == points.end() ? nullptr : &*it;
}

std::vector<KneePoint> knee_points(const Curve& curve) {
  std::vector<KneePoint> points;
  for (const PointSummary& p : curve.points) {
    if (p.valid == 0) continue;
    points.push_back({p.point.k, 1 / p.efficiency, p.efficiency_interval,
                      static_cast<double>(p.valid), p.baseline});
  }
  return points;
}

Times times_of(const StudyEvidence& evidence, const CurveMembers& members, const Curve& curve) {
  Times times;
  for (const PointSummary& p : curve.points) {
    if (p.valid == 0) continue;
    TimesAtK at{.k = p.point.k, .seconds = valid_seconds(members, evidence.points[p.index])};
    if (p.is_by_work()) at.work_per_worker = p.efficiency / p.efficiency_plain;
    times.push_back(std::move(at));
  }
  if (times.empty()) return {};
  return ordered(std::move(times)).value_or({});
}

Times at_equal_work(Times times) {
  for (TimesAtK& at : times) {
    if (at.work_per_worker == 1) continue;
    for (double& t : at.seconds) t /= at.work_per_worker;
    at.work_per_worker = 1;
  }
  return times;
}

StudySummary summarise(const StudyEvidence& evidence) {
  StudySummary summary;
  summary.all_points_have_data = !evidence.points.empty();
  for (const CurveMembers& members : group_curves(evidence)) {
    summary.curves.push_back(summarise_curve(evidence, members));
    const Curve& curve = summary.curves.back();
    add_knee(evidence, members, summary);
    for (const PointSummary& p : curve.points) {
      summary.anything_ran = summary.anything_ran || p.valid + p.failed + p.set_apart > 0;
      summary.all_points_have_data = summary.all_points_have_data && p.valid + p.set_apart > 0;
    }
  }
  return summary;
}

std::vector<double> efficiency_half_widths(const StudyEvidence& evidence) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const auto half = [](const std::optional<Interval>& interval) {
    return interval ? (interval->high - interval->low) / 2 : kUnknown;
  };
  std::vector<double> widths(evidence.points.size(), 0);
  for (const Curve& curve : summarise(evidence).curves) {
    const PointSummary* base = curve.baseline();
    double widest = 0;
    bool alone = true;
    for (const PointSummary& p : curve.points) {
      if (p.baseline) continue;
      // A point on several curves has its widest.
      const double width = half(p.efficiency_interval);
      widths[p.index] = std::max(widths[p.index], width);
      if (p.valid == 0) continue;  // failed for good: more runs of the baseline won't help
      alone = false;
      widest = std::max(widest, width);
    }
    if (base == nullptr) continue;
    if (alone) widest = half(base->seconds_interval) / base->seconds;
    widths[base->index] = std::max(widths[base->index], widest);
  }
  return widths;
}
namespace {

std::string signed_percent(double fraction) {
  return (fraction < 0 ? "" : "+") + number_percent(fraction, 2);
}

}  // namespace

void check_work(Curve& curve) {
  const PointSummary* base = curve.baseline();
  if (base == nullptr || base->work_total <= 0) return;
  const bool weak = curve.mode == Mode::weak;
  const auto held = [&](const PointSummary& p) {
    return weak ? p.work_total / p.point.k : p.work_total;
  };
  const double reference = held(*base);
  const PointSummary* worst = nullptr;
  double deviation = 0;
  for (const PointSummary& p : curve.points) {
    if (p.valid == 0 || p.work_total <= 0) continue;
    const double d = held(p) / reference - 1;
    if (std::abs(d) > std::abs(deviation)) {
      deviation = d;
      worst = &p;
    }
  }
  const double tolerance = weak ? kWeakWorkTolerance : kStrongWorkTolerance;
  if (worst == nullptr || std::abs(deviation) <= tolerance) return;

  const std::string unit = base->point.work_unit.empty() ? "" : " " + base->point.work_unit;
  curve.uneven_work = std::string(weak ? "work per worker" : "total work") +
                      " is not constant: " + number_text(reference, 6) + unit +
                      " at K=" + std::to_string(curve.k0) + ", " + number_text(held(*worst), 6) +
                      unit + " at K=" + std::to_string(worst->point.k) + " (" +
                      signed_percent(deviation) + "): not trusted by its label '" +
                      to_string(curve.mode) + "'" +
                      (weak ? "; E by work is given and decides" : "");
  curve.findings.push_back(curve.uneven_work);
  if (!weak) return;

  for (PointSummary& p : curve.points) {
    if (p.valid == 0 || p.work_total <= 0) continue;
    const double factor = held(p) / reference;
    p.efficiency_basis = EfficiencyBasis::work;
    p.efficiency = p.efficiency_plain * factor;
    if (p.efficiency_plain_interval) {
      p.efficiency_interval = scaled(*p.efficiency_plain_interval, factor);
    }
  }
}

}  // namespace kneepoint
