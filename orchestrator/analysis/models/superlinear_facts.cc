// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/models/superlinear_facts.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/breakdown/machine_facts.h"
#include "orchestrator/analysis/breakdown/work_check.h"
#include "orchestrator/analysis/statistics/intervals.h"

namespace kneepoint {
namespace {

constexpr double kMajorFaults = 1000;    // more than loading a program takes
constexpr std::size_t kRunsToJudge = 3;  // of the baseline: fewer can't show an accident

using Runs = std::vector<const RunEvidence*>;

double median_work(const Runs& runs) {
  std::vector<double> work;
  work.reserve(runs.size());
  for (const RunEvidence* run : runs) work.push_back(run->work_total);
  return median(std::move(work));
}

std::optional<bool> same_work(const CurveMembers& curve, const Point& p0, const Point& p,
                              const Runs& runs0, const Runs& runs) {
  const double work0 = median_work(runs0), work = median_work(runs);
  if (!(work0 > 0) || !(work > 0)) return std::nullopt;
  const bool weak = curve.mode == Mode::weak;
  const double ratio = weak ? work / p.k / (work0 / p0.k) : work / work0;
  return std::abs(ratio - 1) <= (weak ? kWeakWorkTolerance : kStrongWorkTolerance);
}

// Would the fastest run of the baseline be ordinary?
std::optional<bool> slow_by_accident(const Runs& runs0, double efficiency) {
  if (runs0.size() < kRunsToJudge) return std::nullopt;
  std::vector<double> seconds;
  for (const RunEvidence* run : runs0) seconds.push_back(run->seconds);
  const double fastest = *std::min_element(seconds.begin(), seconds.end());
  return efficiency * fastest / median(seconds) <= kSuperlinear;
}

// Run numbers follow the plan's order, which an agent's provenance shows to have been kept.
std::optional<bool> always_after(const Runs& runs0, const Runs& runs) {
  if (runs0.size() < 2 || runs.size() < 2 || runs0.front()->provenance.empty()) {
    return std::nullopt;
  }
  const auto by_number = [](const RunEvidence* a, const RunEvidence* b) {
    return a->number < b->number;
  };
  return (*std::max_element(runs0.begin(), runs0.end(), by_number))->number <
         (*std::min_element(runs.begin(), runs.end(), by_number))->number;
}

bool any_unbound(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const RunEvidence* run) { return run->binding_differs; });
}

// The median over runs of a number that each recorded, as a fact or as a metric.
std::optional<double> median_fact(const PointEvidence& point, const Runs& runs,
                                  std::string_view name) {
  std::vector<double> values;
  for (const RunEvidence* run : runs) {
    const RunDetail* detail = detail_of(point, *run);
    if (detail == nullptr) continue;
    std::optional<double> value = number_fact(detail->facts, name);
    if (!value) value = metric_value(detail->metrics, name);
    if (value && *value >= 0) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

std::optional<double> positive(std::optional<double> value) {
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<bool> swapped(const PointEvidence& point, const Runs& runs) {
  const auto pages = median_fact(point, runs, "memory.swapped_pages");
  const auto faults = median_fact(point, runs, "memory.major_faults");
  if (!pages && !faults) return std::nullopt;
  return pages.value_or(0) > 0 || faults.value_or(0) > kMajorFaults;
}

// The caches that one rank has: its own L2 and its part of the L3, by the ranks that share it.
std::optional<double> cache_of_rank(const PointEvidence& point, const Runs& runs) {
  const auto l2 = positive(median_fact(point, runs, "cache.l2_bytes"));
  const auto l3 = positive(median_fact(point, runs, "cache.l3_bytes"));
  const auto sharing = positive(median_fact(point, runs, "cache.l3_cpus"));
  if (!l2 || !l3 || !sharing) return std::nullopt;
  const Shape& shape = point.point.shape;
  const double threads = shape.threads_per_rank;
  const double busy = std::min(*sharing, std::min(shape.ranks, shape.ranks_per_node) * threads);
  return threads * (*l2 + *l3 / busy);
}

}  // namespace

SuperlinearFacts superlinear_facts(const StudyEvidence& evidence, const CurveMembers& curve,
                                   int base, int at, double efficiency) {
  const PointEvidence &e0 = evidence.points[base], &e = evidence.points[at];
  const Runs runs0 = valid_runs(curve, e0), runs = valid_runs(curve, e);
  SuperlinearFacts facts;
  if (runs0.empty() || runs.empty()) return facts;
  facts.work_equal = same_work(curve, e0.point, e.point, runs0, runs);
  facts.baseline_outlier = slow_by_accident(runs0, efficiency);
  facts.ascending_order = always_after(runs0, runs);
  // All runs of a curve say the same provenance: what it names does not differ.
  const std::string& provenance = runs0.front()->provenance;
  if (provenance.find("cpu.model=") != std::string::npos) facts.node_type_differs = false;
  if (any_unbound(runs0) != any_unbound(runs)) {
    facts.code_path_differs = true;
  } else if (provenance.find("program=") != std::string::npos) {
    facts.code_path_differs = false;
  }
  facts.baseline_swapped = swapped(e0, runs0);
  facts.clock0 = positive(median_fact(e0, runs0, "cpu.clock_mhz_during"));
  facts.clock = positive(median_fact(e, runs, "cpu.clock_mhz_during"));
  facts.working_set0 = positive(median_fact(e0, runs0, "working_set_bytes"));
  facts.working_set = positive(median_fact(e, runs, "working_set_bytes"));
  facts.cache_bytes = cache_of_rank(e, runs);
  facts.instructions0 = positive(median_fact(e0, runs0, "instructions"));
  facts.instructions = positive(median_fact(e, runs, "instructions"));
  return facts;
}

}  // namespace kneepoint
