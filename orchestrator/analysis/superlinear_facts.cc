// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/superlinear_facts.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/analysis/intervals.h"
#include "orchestrator/analysis/machine_facts.h"
#include "orchestrator/analysis/work_check.h"

namespace kneepoint {
namespace {

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

// The median over runs of a number that each recorded.
std::optional<double> median_fact(const PointEvidence& point, const Runs& runs,
                                  std::string_view name) {
  std::vector<double> values;
  for (const RunEvidence* run : runs) {
    const RunDetail* detail = detail_of(point, *run);
    if (detail == nullptr) continue;
    std::optional<double> value = number_fact(detail->facts, name);
    if (!value) value = metric_value(detail->metrics, name);
    if (value && *value > 0) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
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
  facts.clock0 = median_fact(e0, runs0, "cpu.measured_mhz");
  facts.clock = median_fact(e, runs, "cpu.measured_mhz");
  facts.working_set0 = median_fact(e0, runs0, "working_set_bytes");
  facts.working_set = median_fact(e, runs, "working_set_bytes");
  facts.cache_bytes = median_fact(e0, runs0, "cpu.cache_bytes");
  facts.instructions0 = median_fact(e0, runs0, "instructions");
  facts.instructions = median_fact(e, runs, "instructions");
  return facts;
}

}  // namespace kneepoint
