// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/parts.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/models/scaling_laws.h"
#include "orchestrator/analysis/models/superlinear.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/base/numbers.h"

namespace kneepoint {
namespace {

constexpr double kWindowSlack = 0.1;  // T may differ so much from the profile's window

std::string at_k(const PointSummary& p) {
  return "K=" + std::to_string(p.point.k);
}

// One curve while its points are gone through.
class Details {
 public:
  Details(const StudyEvidence& evidence, const CurveMembers& members, const Curve& curve,
          std::vector<Warning>& warnings)
      : evidence_(evidence), members_(members), curve_(curve), warnings_(warnings) {}

  std::vector<PointDetail> all() {
    std::vector<PointDetail> details(curve_.points.size());
    const PointSummary* before = nullptr;
    for (std::size_t i = 0; i < details.size(); ++i) {
      const PointSummary& p = curve_.points[i];
      if (p.valid == 0) continue;
      PointDetail& d = details[i];
      d.results_per_second = p.point.results / p.seconds;
      if (before != nullptr) relate(*before, p, d);
      add_ranks(p, d);
      add_profile(p, d);
      add_tail(p, d);
      add_audit(before, p, d);
      add_machine(p, d);
      before = &p;
    }
    return details;
  }

 private:
  const PointEvidence& evidence_of(const PointSummary& p) const {
    return evidence_.points[p.index];
  }

  // From the K before: what of E's interval does not rest on the baseline.
  void relate(const PointSummary& from, const PointSummary& to, PointDetail& d) const {
    const double by_medians = from.seconds / to.seconds;
    d.local_efficiency = to.efficiency / from.efficiency;
    d.local_efficiency_interval = ratio_interval(valid_seconds(members_, evidence_of(from)),
                                                 valid_seconds(members_, evidence_of(to)));
    if (auto& interval = d.local_efficiency_interval) {
      interval = scaled(*interval, *d.local_efficiency / by_medians);
    }
  }

  // The run whose T is the median (the lower of two), among those whose ranks reported.
  const RunEvidence* median_run(const PointSummary& p) const {
    std::vector<const RunEvidence*> runs = valid_runs(members_, evidence_of(p));
    std::erase_if(runs, [&](const RunEvidence* run) {
      const RunDetail* detail = detail_of(evidence_of(p), *run);
      return detail == nullptr || detail->ranks.empty();
    });
    if (runs.empty()) return nullptr;
    std::stable_sort(runs.begin(), runs.end(), [](const RunEvidence* a, const RunEvidence* b) {
      return a->seconds < b->seconds;
    });
    return runs[(runs.size() - 1) / 2];
  }

  void add_ranks(const PointSummary& p, PointDetail& d) {
    add_comm_ratio(p, d);
    const RunEvidence* run = median_run(p);
    if (run == nullptr) return;
    const RunDetail& detail = *detail_of(evidence_of(p), *run);
    d.stragglers = find_stragglers(detail.ranks);
    // Totals are over all timed iterations; T is that of the iterations that the plan asks for.
    double wall = 0;
    for (const double t : detail.iteration_seconds) wall += t;
    const auto timed = static_cast<double>(detail.iteration_seconds.size());
    double scale = timed > 0 ? p.point.iterations / timed : 1;
    if (timed == 0) {
      // Totals of a profile are from MPI_Init to MPI_Finalize, of which T may be a part.
      const double window = profile_window(detail);
      wall = window > 0 ? window : run->seconds;
      scale = run->seconds / wall;
      if (std::abs(scale - 1) > kWindowSlack) warn_of_window(p, *run, window);
    }
    Result<Breakdown> breakdown = break_down(detail.ranks, wall);
    if (!breakdown) {
      warnings_.push_back(
          {WarningCode::inconsistent_breakdown,
           at_k(p) + ", run r" + std::to_string(run->number) + ": " + breakdown.error().message});
      return;
    }
    for (double* part : {&breakdown->wall, &breakdown->useful_mean, &breakdown->useful_max,
                         &breakdown->imbalance_seconds, &breakdown->communication_seconds}) {
      *part *= scale;
    }
    d.breakdown = *breakdown;
    if (p.baseline) {
      base_ = *breakdown;
      base_run_ = run;
    } else if (base_run_ != nullptr) {
      add_accounting(p, *run, d);
    }
  }

  void warn_of_window(const PointSummary& p, const RunEvidence& run, double window) {
    warnings_.push_back({WarningCode::profile_window,
                         at_k(p) + ", run r" + std::to_string(run.number) + ": T is " +
                             number_text(run.seconds) +
                             " s, from MPI_Init to MPI_Finalize it took " + number_text(window) +
                             " s; the breakdown is of all of that, brought to T (time: {from: "
                             "mpi}, or MPI_Pcontrol around what is timed, makes them one)"});
  }

  void add_profile(const PointSummary& p, PointDetail& d) const {
    const std::vector<const RunDetail*> runs = valid_details(members_, evidence_of(p));
    d.profile = profile_of(runs);
    d.metrics = metrics_of(runs);
  }

  void add_accounting(const PointSummary& p, const RunEvidence& run, PointDetail& d) {
    // The identity counts ranks; E counts workers.
    const double k0 = curve_.k0, k = p.point.k;
    if (d.breakdown->ranks * k0 != base_.ranks * k) return;
    const double ratio = base_run_->seconds / run.seconds;
    const double efficiency = curve_.mode == Mode::strong ? ratio * k0 / k : ratio;
    Result<Accounting> accounting = account(base_, *d.breakdown, curve_.mode, efficiency);
    if (!accounting) return;
    if (!accounting->consistent) {
      warnings_.push_back(
          {WarningCode::inconsistent_breakdown, at_k(p) + ": " + accounting->sentence});
    }
    d.accounting = std::move(*accounting);
  }

  void add_comm_ratio(const PointSummary& p, PointDetail& d) const {
    std::vector<double> ratios;
    for (const RunEvidence* run : valid_runs(members_, evidence_of(p))) {
      if (run->compute_seconds > 0) {
        ratios.push_back(run->communication_seconds / run->compute_seconds);
      }
    }
    if (ratios.empty()) return;
    const double ratio = median(std::move(ratios));
    const Result<double> efficiency = efficiency_of_comm_ratio(ratio);
    if (!efficiency) return;
    d.comm_ratio = ratio;
    d.comm_ratio_efficiency = *efficiency;
  }

  std::vector<double> iterations_of(const PointSummary& p) const {
    std::vector<double> seconds;
    for (const RunDetail* detail : valid_details(members_, evidence_of(p))) {
      seconds.insert(seconds.end(), detail->iteration_seconds.begin(),
                     detail->iteration_seconds.end());
    }
    return seconds;
  }

  void add_tail(const PointSummary& p, PointDetail& d) {
    std::vector<double> seconds = iterations_of(p);
    if (seconds.empty()) return;
    if (Result<TailSummary> tail = summarise_tail(seconds)) d.tail = *tail;
    if (curve_.mode != Mode::weak) return;
    if (p.baseline) {
      base_iterations_ = std::move(seconds);
      base_ranks_ = p.point.shape.ranks;
    } else if (!base_iterations_.empty()) {
      Result<TailGrowth> growth =
          tail_growth(base_iterations_, base_ranks_, seconds, p.point.shape.ranks);
      if (growth) d.tail_growth = std::move(*growth);
    }
  }

  void add_audit(const PointSummary* before, const PointSummary& p, PointDetail& d) {
    const PointSummary* base = curve_.baseline();
    if (p.baseline || base == nullptr) return;
    const auto lower = [](const std::optional<Interval>& interval) {
      return interval ? std::optional(interval->low) : std::nullopt;
    };
    const double e = p.efficiency;
    SuperlinearAudit audit =
        audit_superlinear(e, lower(p.efficiency_interval),
                          superlinear_facts(evidence_, members_, base->index, p.index, e));
    if (!audit.triggered && before != nullptr && !before->baseline) {
      audit = audit_superlinear(
          *d.local_efficiency, lower(d.local_efficiency_interval),
          superlinear_facts(evidence_, members_, before->index, p.index, *d.local_efficiency));
      audit.sentence = "from " + at_k(*before) + " on: " + audit.sentence;
    }
    if (!audit.triggered) return;
    warnings_.push_back({WarningCode::superlinear,
                         at_k(p) + ": " + audit.sentence + "; to settle it: " + audit.settle});
    d.audit = std::move(audit);
  }

  void add_machine(const PointSummary& p, PointDetail& d) {
    const Point& point = p.point;
    if (!(point.flops > 0)) return;
    d.flops_per_second = point.flops * point.iterations / p.seconds;
    const std::optional<Machine> found = machine_at(members_, evidence_of(p));
    if (!found || point.emulated || point.shape.gpus_per_node > 0) return;
    const double cores =
        std::min(point.shape.ranks, point.shape.ranks_per_node) * point.shape.threads_per_rank;
    if (const Result<double> intensity = arithmetic_intensity(point.flops, point.bytes)) {
      if (Result<RooflinePoint> roof = roofline_on_cores(*intensity, *found, cores)) {
        d.roofline = *roof;
      }
    }
    const Result<double> used = model_flops_utilisation(point.flops * point.iterations, p.seconds,
                                                        point.shape.cpus(), found->flops_per_core);
    if (used) {
      d.utilisation = *used;
    } else {
      warnings_.push_back(
          {WarningCode::utilisation_refused, at_k(p) + ": " + used.error().message});
    }
  }

  const StudyEvidence& evidence_;
  const CurveMembers& members_;
  const Curve& curve_;
  std::vector<Warning>& warnings_;
  Breakdown base_;
  const RunEvidence* base_run_ = nullptr;
  std::vector<double> base_iterations_;
  double base_ranks_ = 1;
};

}  // namespace

std::vector<PointDetail> point_details(const StudyEvidence& evidence, const CurveMembers& members,
                                       const Curve& curve, std::vector<Warning>& warnings) {
  return Details(evidence, members, curve, warnings).all();
}

std::optional<Machine> machine_at(const CurveMembers& members, const PointEvidence& point) {
  for (const RunDetail* detail : valid_details(members, point)) {
    if (auto found = machine_of(detail->facts)) return found;
  }
  return std::nullopt;
}

void add_gustafson(const Curve& curve, double serial, std::vector<PointDetail>& details) {
  const PointSummary* base = curve.baseline();
  if (curve.mode != Mode::weak || curve.k0 != 1 || base == nullptr) return;
  for (std::size_t i = 0; i < details.size(); ++i) {
    const PointSummary& p = curve.points[i];
    if (p.valid == 0) continue;
    const Result<double> speedup = scaled_speedup(serial, p.point.k, 1 / p.efficiency);
    if (speedup) details[i].gustafson = *speedup;
  }
}

}  // namespace kneepoint
