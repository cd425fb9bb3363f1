// SPDX-License-Identifier: Apache-2.0
//
// A strong curve whose work grows is only flagged: work that more workers add is a loss that
// efficiency must show. A weak curve whose work per worker varies (grids round) is corrected too.
#include "orchestrator/analysis/breakdown/work_check.h"

#include <cmath>

#include "orchestrator/base/numbers.h"

namespace kneepoint {
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

  const auto scaled = [](const Interval& interval, double factor) {
    Interval out = interval;
    out.low *= factor;
    out.high *= factor;
    return out;
  };
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
